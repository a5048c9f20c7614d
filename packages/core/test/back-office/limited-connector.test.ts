import { describe, expect, it } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { iso } from '../../src/index.ts'
import { customerOf, invoiceOf, openSynced } from './ledger-sync.ts'

const content = { customers: [customerOf(1)], invoices: [invoiceOf(1)] }
const empty = { kind: 'page' as const, records: [], rejected: [] }
const unanswered = { status: 'running', pages: 0, failures: 1, failure: { code: 'ledger_unavailable' } }

describe('a connector that takes too long', () => {
  // The pass waited for ever, and with it all payments of all processes.
  it('has half a minute, and is asked again on the schedule of the run', async () => {
    let asked = 0
    const never = () => {
      asked += 1
      return asked === 1 ? new Promise<never>(() => {}) : Promise.resolve({ ...empty, cursor: null })
    }
    const synced = await openSynced(content, {
      connectors: { ledger: { customers: never, invoices: never } },
    })
    await synced.ask({ useWorker: true })
    const paid = accepted(await pay(synced, 'btok_test_success'))
    const passing = synced.engine.reconcile()
    await expect.poll(() => synced.clock.pending()).toBe(1)
    synced.processor.control.settle(`${synced.scope.workspace}.${paid.id}`, iso(synced.clock.now()))
    synced.clock.advance(29_999)
    expect(await synced.run()).toMatchObject({ failures: 0 })
    synced.clock.advance(1)
    await passing
    expect(await synced.run()).toMatchObject(unanswered)
    expect(await shownPayment(synced, paid.id)).toMatchObject({ status: 'succeeded' })
    expect(synced.logged.join()).toContain('"kind":"ledger","fault":"TimeoutError"')
    synced.clock.advance(1_000)
    await synced.engine.reconcile()
    expect(await synced.run()).toMatchObject({ status: 'completed', failures: 0 })
    expect(synced.clock.pending()).toBe(0)
  })

  it('has that time for all pages of a step, and is asked for no more of them after it', async () => {
    let asked = 0
    const customers = async () => {
      asked += 1
      synced.clock.advance(10_000)
      return { ...empty, cursor: `${asked}` }
    }
    const invoices = async () => ({ ...empty, records: [invoiceOf(1)], cursor: null })
    const synced = await openSynced(content, { connectors: { ledger: { customers, invoices } } })
    await synced.ask()
    expect(await synced.run()).toMatchObject(unanswered)
    expect(asked).toBe(3)
  })
})
