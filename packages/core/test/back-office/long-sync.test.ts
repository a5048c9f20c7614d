import { describe, expect, it } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Connector, Processor } from '../../src/index.ts'
import { customerOf, invoiceOf, openSynced } from './ledger-sync.ts'

const content = { customers: [customerOf(1)], invoices: [invoiceOf(1)] }

/** A ledger of so many pages, each of which takes nine seconds, and what happens meanwhile. */
async function longSync(pages: number, meanwhile: (page: number) => Promise<void>) {
  let page = 0
  const invoices: Connector['invoices'] = async () => {
    page += 1
    synced.clock.advance(9_000)
    await meanwhile(page)
    return { kind: 'page', records: [], rejected: [], cursor: page < pages ? `${page}` : null }
  }
  const customers: Connector['customers'] = async () => ({
    kind: 'page',
    records: [],
    rejected: [],
    cursor: null,
  })
  const synced = await openSynced(content, { connectors: { ledger: { customers, invoices } } })
  return synced
}

describe('a pass that copies a ledger for long', () => {
  it('asks about payments again though the processor was slow once', async () => {
    let status_at_the_end: unknown
    const synced = await longSync(60, async (page) => {
      if (page === 60) status_at_the_end = (await shownPayment(synced, id)).status
    })
    let asked = 0
    let stored = 0
    const lookup: Processor['lookup'] = async (request) => {
      asked += 1
      if (asked > 1) return synced.processor.lookup(request)
      // Longer than the page of the ledger that is read beside it.
      const before = stored
      await expect.poll(() => stored).toBeGreaterThan(before)
      synced.clock.advance(11_000)
      return { kind: 'unknown' }
    }
    const info = (_: string, { pages = 0 }: { pages?: number } = {}) => {
      stored = pages
    }
    const logger = { info, warn: () => {}, error: () => {} }
    const slow = withProcessor(synced, { ...synced.processor, lookup })
    const { engine } = synced.another({ ...slow, logger })
    await synced.ask({ useWorker: true })
    const { id } = accepted(await pay(synced, 'tok_test_unknown_approved'))
    await engine.reconcile()
    expect(await synced.run()).toMatchObject({ status: 'completed', pages: 60 })
    expect(status_at_the_end).toBe('succeeded')
  })

  it('does again what had failed', async () => {
    let status_at_the_end: unknown
    const synced = await longSync(60, async (page) => {
      if (page === 60) status_at_the_end = (await shownPayment(synced, id)).status
    })
    let heard = 0
    const listener = () => {
      heard += 1
      if (heard === 1) throw new Error('once')
    }
    const { engine } = synced.another({ on: { 'payment.succeeded': listener } })
    await synced.ask({ useWorker: true })
    const { id } = accepted(await pay(synced, 'tok_test_unknown_approved'))
    await engine.reconcile()
    expect(status_at_the_end).toBe('succeeded')
  })
})
