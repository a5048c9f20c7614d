import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, createdMethod, pay, send } from '../../../testing/src/builders/requests.ts'
import { newCustomer, sentInvoice } from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { heldProcessor } from '../../../testing/src/ports/held-processor.ts'
import { freshStore, testedStore } from '../stores/tested-store.ts'
import { heldStore } from './held-store.ts'
import type { RaceRows } from './race.ts'

/** Long enough for whoever does not wait to have answered. */
const a_while_ms = 200

/** Rows as two processes have them, where they can be shared; else as two engines of one process do. */
async function shared(): Promise<RaceRows> {
  const { openTwice } = testedStore()
  if (openTwice === undefined) {
    const store = await freshStore()
    return { store, again: store, close: async () => {} }
  }
  const rows = await openTwice()
  onTestFinished(() => rows.close())
  return rows
}

describe('an event that is being filed', () => {
  it.each([
    ['registered', []],
    ['enabled', []],
    ['disabled', ['canceled']],
    ['deleted', ['canceled']],
  ] as const)('is waited for by an endpoint that is being %s, and seen', async (how, statuses) => {
    const rows = await shared()
    const sandbox = await openSandbox({ store: rows.store })
    const { webhook_endpoints, events } = sandbox.engine
    const id = how === 'registered' ? '' : (await registeredEndpoint(sandbox)).id
    if (how === 'enabled')
      accepted(await webhook_endpoints.update(sandbox.caller, { id, status: 'disabled' }))
    const filing = heldStore(rows.again, 'webhook_endpoints', 'page')
    const paying = pay(sandbox.another({ store: filing.store }), 'tok_test_visa')
    await filing.held
    let isChanged = false
    const change = async () => {
      if (how === 'registered') await registeredEndpoint(sandbox)
      else if (how === 'deleted') accepted(await webhook_endpoints.delete(sandbox.caller, { id }))
      else accepted(await webhook_endpoints.update(sandbox.caller, { id, status: how }))
      isChanged = true
      return accepted(await events.list(sandbox.caller, {})).data
    }
    const changing = change()
    await setTimeout(a_while_ms)
    const waited = !isChanged
    filing.release()
    expect(waited).toBe(true)
    accepted(await paying)
    // Whoever subscribes and then catches up misses none: what is not delivered is in the list.
    const [event] = await changing
    const { deliveries } = accepted(await events.retrieve(sandbox.caller, { id: event?.id ?? '' }))
    expect(deliveries.map(({ status }) => status)).toEqual(statuses)
  })
})

describe('a charge of an invoice by a saved method', () => {
  it('is recorded in the order in which the next one locks both', async () => {
    const rows = await shared()
    const sandbox = await openSandbox({ store: rows.store })
    const customer = await newCustomer(sandbox)
    const { id: payment_method } = await createdMethod(sandbox, 'tok_test_visa', { customer })
    const { id: invoice } = await sentInvoice(sandbox, { customer, total: 100_000 })
    const input = { amount: 100, currency: 'USD', payment_method, invoice }
    const charge = heldProcessor(sandbox.processor, 'after')
    // Holds nothing: it counts how often units run.
    const recording = heldStore(rows.store, 'events', 'lock')
    const first = sandbox.another({ store: recording.store, ...withProcessor(sandbox, charge.processor) })
    const charging = send(first, 'payments.create', { input, key: 'first' })
    await charge.held
    const reserving = heldStore(rows.again, 'invoices', 'lock')
    const next = send(sandbox.another({ store: reserving.store }), 'payments.create', { input, key: 'next' })
    await reserving.held
    charge.release()
    await setTimeout(a_while_ms)
    reserving.release()
    const answers = await Promise.all([charging, next])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    // A deadlock runs one of them again.
    expect(Math.max(...recording.runs, ...reserving.runs)).toBe(1)
  })
})
