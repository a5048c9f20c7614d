import { describe, expect, it } from 'vitest'
import { accepted } from '../../../testing/src/builders/requests.ts'
import { advance, payInvoice, shownInvoice } from '../../../testing/src/builders/sales.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Connector, LedgerInvoice } from '../../src/index.ts'
import { customerOf, invoiceOf } from './ledger-sync.ts'

/** An invoice of 10,000 whose ledger says whatever it is given to say. */
async function openLedgered(changes: Partial<LedgerInvoice>[] = [{}]) {
  let said = changes.map((change, index) => invoiceOf(index + 1, { customer: 'C-0001', ...change }))
  const page = { kind: 'page' as const, rejected: [], cursor: null }
  const connector: Connector = {
    customers: async () => ({ ...page, records: [customerOf(1)] }),
    invoices: async ({ status }) => ({
      ...page,
      records: said.filter((one) => status === 'any' || one.status === 'open'),
    }),
  }
  const sandbox = await openSandbox({ connectors: { ledger: connector } })
  const { engine, scope, caller, clock } = sandbox
  const place = { kind: 'ledger', base_url: 'https://ledger.example', site_id: 'north', token: 't' }
  const connectionId = await engine.backOffice.connect(scope, place)
  const sync = async (change: Partial<LedgerInvoice>, allInvoices = true) => {
    said = said.map((one) => ({ ...one, ...change }))
    clock.advance(10)
    const asked = { connectionId, jobType: 'sync_invoice', allInvoices }
    ;(await engine.backOffice.syncHistorical(asked))._unsafeUnwrap()
  }
  await sync({})
  const { data } = accepted(await engine.invoices.list(caller, {}))
  return { sandbox, data, id: data[0]?.id ?? '', sync }
}

/** A debit is pending while the ledger says this; it ends, and the ledger is asked for open invoices only. */
async function meanwhile(token: string, change: Partial<LedgerInvoice>) {
  const { sandbox, id, sync } = await openLedgered()
  accepted(await payInvoice(sandbox, token, { invoice: id, amount: 10_000 }))
  await sync(change)
  expect((await shownInvoice(sandbox, id)).status).toBe('open')
  await advance(sandbox, 120)
  await sync({}, false)
  const { status, amount_paid, amount_due, payment_url } = await shownInvoice(sandbox, id)
  return { status, amount_paid, amount_due, payable: payment_url !== null }
}

describe('what a ledger says while a debit is pending', () => {
  const settled = { amount_due: 0, payable: false }

  // It was forgotten, and the payer was asked to pay again.
  it.each<[string, Partial<LedgerInvoice>, object]>([
    ['paid', { status: 'paid', amount_paid: 10_000 }, { status: 'paid', amount_paid: 10_000 }],
    ['paid without money', { status: 'paid' }, { status: 'paid', amount_paid: 0 }],
    ['canceled', { status: 'canceled' }, { status: 'canceled', amount_paid: 0 }],
    ['void', { status: 'canceled', total: 0 }, { status: 'canceled', amount_paid: 0 }],
  ])('(that it is %s) holds once the debit has failed', async (_, change, expected) => {
    expect(await meanwhile('btok_test_refused', change)).toEqual({ ...settled, ...expected })
  })

  it.each<[string, Partial<LedgerInvoice>]>([
    ['paid', { status: 'paid', amount_paid: 10_000 }],
    ['canceled', { status: 'canceled' }],
  ])('(that it is %s) changes nothing once the debit has paid it', async (_, change) => {
    expect(await meanwhile('btok_test_success', change)).toEqual({
      ...settled,
      status: 'paid',
      amount_paid: 10_000,
    })
  })

  it('(that it is paid) holds once the last of several debits has failed', async () => {
    const { sandbox, id, sync } = await openLedgered()
    for (const amount of [4_000, 6_000])
      accepted(await payInvoice(sandbox, 'btok_test_refused', { invoice: id, amount }))
    await sync({ status: 'paid' })
    await advance(sandbox, 120)
    expect(await shownInvoice(sandbox, id)).toMatchObject({
      status: 'paid',
      amount_pending: 0,
      amount_due: 0,
    })
  })

  it('is forgotten where it says otherwise later', async () => {
    const { sandbox, id, sync } = await openLedgered()
    accepted(await payInvoice(sandbox, 'btok_test_refused', { invoice: id, amount: 10_000 }))
    await sync({ status: 'canceled' })
    await sync({ status: 'open' })
    await advance(sandbox, 120)
    expect(await shownInvoice(sandbox, id)).toMatchObject({ status: 'open', amount_due: 10_000 })
  })
})

describe('a record that no ledger may give', () => {
  it('costs itself and not its page', async () => {
    const { data } = await openLedgered([{}, { total: 19.99 }, {}, { currency: 'EUR' as 'USD' }])
    expect(data.map(({ external_id }) => external_id).toSorted()).toEqual(['I-0001', 'I-0003'])
  })

  it('is not paid with a discount below nothing', async () => {
    const early_payment_discount = { amount: -500, until: '2026-12-31' }
    const { data } = await openLedgered([{ early_payment_discount }])
    expect(data).toEqual([])
  })
})
