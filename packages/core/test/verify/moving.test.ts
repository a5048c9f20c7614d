import { expect, it } from 'vitest'
import { attemptDue, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import {
  openCheckout,
  payCheckout,
  payInvoice,
  refund,
  sentInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { verify } from '../../src/engine/verify/verify.ts'
import { memoryStore } from '../../src/memory-store/memory-store.ts'
import type { Reads, Store } from '../../src/ports/store.ts'
import { iso } from '../../src/schema/timestamps.ts'

const sales = 30

it('a check finds nothing in a database that is being written to', async () => {
  const sandbox = await openSandbox()
  await registeredEndpoint(sandbox)
  const invoice = (await sentInvoice(sandbox, { total: sales * 1000 })).id
  let selling = true
  const sellers = Promise.all([1, 2, 3].map((seller) => sell(sandbox, { seller, invoice }))).finally(() => {
    selling = false
  })
  const found = []
  while (selling) found.push(...(await sandbox.engine.verify()).violations)
  await sellers
  found.push(...(await sandbox.engine.verify()).violations)
  expect(found).toEqual([])
})

it('what moves between one read and the next is not reported', async () => {
  const sandbox = await openSandbox({ store: memoryStore() })
  const payment = accepted(await pay(sandbox, 'tok_test_visa')).id
  let refunds = 0
  /** Whenever a payment was read, a part of it is given back before anything else is. */
  const store: Store = {
    ...sandbox.store,
    read: (scope, work) =>
      sandbox.store.read(scope, (rows) => {
        const afterwards = async <Answer>(answer: PromiseLike<Answer>) => {
          const read = await answer
          refunds += 1
          accepted(await refund(sandbox, { payment, amount: 1 }))
          return read
        }
        const { get, page } = rows.payments
        const payments: Reads['payments'] = {
          get: (id) => afterwards(get(id)),
          page: (request) => afterwards(page(request)),
        }
        return work(Object.create(rows, { payments: { value: payments } }))
      }),
  }
  const { violations } = await verify({ store, now: iso(sandbox.clock.now()) })
  expect(violations).toEqual([])
  expect(refunds).toBeGreaterThan(5)
})

it.each(['get', 'page'] as const)(
  'what %s gives differently each time is left to the next check',
  async (how) => {
    const sandbox = await openSandbox({ store: memoryStore() })
    accepted(await pay(sandbox, 'tok_test_visa'))
    let reads = 0
    /** No payment is proven, and each time that payments or their events are read they have another text. */
    const store: Store = {
      ...sandbox.store,
      read: (scope, work) =>
        sandbox.store.read(scope, (rows) => {
          const unproven = <Row extends object>(row: Row) => ({ ...row, evidence: null })
          const moved = <Row extends object>(row: Row) => ({ ...row, description: `${++reads}` })
          const payments: Reads['payments'] = {
            async get(id) {
              const row = unproven((await rows.payments.get(id)) ?? expect.fail())
              return how === 'get' ? moved(row) : row
            },
            page: async (request) => (await rows.payments.page(request)).map(unproven),
          }
          const events: Reads['events'] = {
            get: (id) => rows.events.get(id),
            async page(request) {
              const page = await rows.events.page(request)
              return how === 'page' ? page.map(moved) : page
            },
          }
          return work(Object.create(rows, { payments: { value: payments }, events: { value: events } }))
        }),
    }
    expect((await verify({ store, now: iso(sandbox.clock.now()) })).violations).toEqual([])
    expect(reads).toBeGreaterThan(5)
  },
)

async function sell(sandbox: Sandbox, { seller, invoice }: { seller: number; invoice: string }) {
  for (let sale = 0; sale < sales; sale += 1) {
    const payment = accepted(await pay(sandbox, 'tok_test_visa')).id
    await refund(sandbox, { payment, amount: 250 })
    if (seller === 1) await payInvoice(sandbox, 'tok_test_visa', { invoice, amount: 10 })
    if (seller === 2) await payCheckout(sandbox, 'tok_test_visa', await openCheckout(sandbox))
    if (seller === 3) await attemptDue(sandbox, sale % 2 === 0 ? null : 'http 503')
  }
}
