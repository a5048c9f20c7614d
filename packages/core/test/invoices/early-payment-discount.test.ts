import { describe, expect, it } from 'vitest'
import { accepted } from '../../../testing/src/builders/requests.ts'
import {
  advance,
  draftedInvoice,
  newCustomer,
  payInvoice,
  payInvoiceOnPage,
  sentInvoice,
  shownInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { mergeInvoice } from '../../src/ledger-invoices/merge-invoice.ts'
import type { LedgerInvoice } from '../../src/ports/connector.ts'
import { invoiceOf } from '../back-office/ledger-sync.ts'
import { refusal } from '../operations/refusals.ts'

/** 25 less for whoever pays by the end of 10 February 2026; the sandbox begins on 31 January. */
const early_payment_discount = { amount: 25, until: '2026-02-10' }

const discounted = async (sandbox: Sandbox) => (await sentInvoice(sandbox, { early_payment_discount })).id
const pay = (sandbox: Sandbox, token: string, invoice: string, amount = 975) =>
  payInvoiceOnPage(sandbox, token, { invoice, amount })
const passUntil = ({ clock }: Sandbox, time: string) => clock.advance(Date.parse(time) - clock.now())
const rowOf = async ({ store, scope }: Sandbox, id: string) =>
  (await readRows(store, scope)).invoices.find((invoice) => invoice.id === id)

/** Status, paid, pending, due, written off: while it is open they add up to its 1000. */
async function amountsOf(sandbox: Sandbox, id: string) {
  const { status, total, amount_paid, amount_pending, amount_due } = await shownInvoice(sandbox, id)
  const written_off = (await rowOf(sandbox, id))?.written_off ?? Number.NaN
  if (status === 'open') expect(amount_paid + amount_pending + amount_due + written_off).toBe(total)
  return [status, amount_paid, amount_pending, amount_due, written_off]
}

describe('an early-payment discount', () => {
  it('is applied on the payment page, not in amount_due', async () => {
    const sandbox = await openSandbox()
    const id = await discounted(sandbox)
    expect(await amountsOf(sandbox, id)).toEqual(['open', 0, 0, 1000, 0])
    expect(refusal(await pay(sandbox, 'tok_test_visa', id, 1000)).code).toBe('conflict')
    accepted(await pay(sandbox, 'tok_test_visa', id))
    expect(await amountsOf(sandbox, id)).toEqual(['paid', 975, 0, 0, 25])
    expect(sandbox.processor.ledger.charges()).toMatchObject([{ amount: 975 }])
  })

  it('is had on its last day and not the day after', async () => {
    const sandbox = await openSandbox()
    const [in_time, late] = [await discounted(sandbox), await discounted(sandbox)]
    passUntil(sandbox, '2026-02-10T23:59:59.999Z')
    accepted(await pay(sandbox, 'tok_test_visa', in_time))
    passUntil(sandbox, '2026-02-11T00:00:00.000Z')
    expect(refusal(await pay(sandbox, 'tok_test_visa', late)).code).toBe('conflict')
    accepted(await pay(sandbox, 'tok_test_visa', late, 1000))
    expect(await amountsOf(sandbox, late)).toEqual(['paid', 1000, 0, 0, 0])
  })

  it('is taken while a debit is pending, and owed again when the debit fails or comes back', async () => {
    const sandbox = await openSandbox()
    for (const token of ['btok_test_refused', 'btok_test_account_closed']) {
      const id = await discounted(sandbox)
      accepted(await pay(sandbox, token, id))
      expect(await amountsOf(sandbox, id)).toEqual(['open', 0, 975, 0, 25])
      await advance(sandbox, 120)
      expect(await amountsOf(sandbox, id)).toEqual(['open', 0, 0, 1000, 0])
      accepted(await pay(sandbox, 'tok_test_visa', id))
      expect(await amountsOf(sandbox, id)).toEqual(['paid', 975, 0, 0, 25])
    }
  })

  it('is owed again after a chargeback, and no longer had once its time is over', async () => {
    const sandbox = await openSandbox()
    passUntil(sandbox, '2026-02-09T12:00:00.000Z')
    const id = await discounted(sandbox)
    accepted(await pay(sandbox, 'tok_test_chargeback', id))
    await advance(sandbox, 4 * 86_400)
    expect(await amountsOf(sandbox, id)).toEqual(['open', 0, 0, 1000, 0])
    expect(refusal(await pay(sandbox, 'tok_test_visa', id)).code).toBe('conflict')
  })

  it('is owed again after the processor voided the debit that took it', async () => {
    const sandbox = await openSandbox()
    const id = await discounted(sandbox)
    const lookup = async () => ({ kind: 'charge' as const, state: { kind: 'voided' as const } })
    const voiding = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, lookup }))
    accepted(await pay(voiding, 'btok_test_never_settles', id))
    expect(await amountsOf(voiding, id)).toEqual(['open', 0, 975, 0, 25])
    await advance(voiding, 60)
    expect(await amountsOf(voiding, id)).toEqual(['open', 0, 0, 1000, 0])
  })

  it('stays owed after a card was declined', async () => {
    const sandbox = await openSandbox()
    const id = await discounted(sandbox)
    expect(refusal(await pay(sandbox, 'tok_test_declined', id)).code).toBe('card_declined')
    expect(await amountsOf(sandbox, id)).toEqual(['open', 0, 0, 1000, 0])
  })

  it('is for whoever pays the rest on the page, never for a payment of the API', async () => {
    const sandbox = await openSandbox()
    const id = await discounted(sandbox)
    accepted(await payInvoice(sandbox, 'tok_test_visa', { invoice: id, amount: 400 }))
    expect(await amountsOf(sandbox, id)).toEqual(['open', 400, 0, 600, 0])
    accepted(await pay(sandbox, 'tok_test_visa', id, 575))
    expect(await amountsOf(sandbox, id)).toEqual(['paid', 975, 0, 0, 25])
  })

  it('is not had where it would leave nothing to pay', async () => {
    const sandbox = await openSandbox()
    const id = await discounted(sandbox)
    await sandbox.engine.admin.invoices.writeOff(sandbox.scope, { id, amount: 975 })
    accepted(await pay(sandbox, 'tok_test_visa', id, 25))
    expect(await amountsOf(sandbox, id)).toEqual(['paid', 25, 0, 0, 975])
  })

  it('is less than the total', async () => {
    const sandbox = await openSandbox()
    const customer = await newCustomer(sandbox)
    const terms = { currency: 'USD' as const, total: 25, invoice_date: '2026-02-01', due_date: '2026-03-01' }
    const input = { customer, ...terms, early_payment_discount }
    const { code, param } = refusal(await sandbox.engine.admin.invoices.draft(sandbox.scope, input))
    expect([code, param]).toEqual(['parameter_invalid', 'early_payment_discount.amount'])
    expect(await draftedInvoice(sandbox, { total: 26, early_payment_discount })).toBeTruthy()
  })

  it('is what its ledger says, until a payment has taken it', async () => {
    const sandbox = await openSandbox()
    const id = await discounted(sandbox)
    const said = { ...invoiceOf(1), currency: 'USD' as const, total: 1000 }
    const now = '2026-02-03T00:00:00.000Z'
    const merged = async (theirs: LedgerInvoice) => {
      const row = await rowOf(sandbox, id)
      if (row === undefined) throw new Error('The invoice was made above.')
      return mergeInvoice({ invoice: row, written_off: 0 }, theirs, now).invoice.early_payment_discount
    }
    const other = { amount: 50, until: '2026-02-20' }
    expect(await merged(said)).toEqual({ ...early_payment_discount, taken_by: null })
    expect(await merged({ ...said, early_payment_discount: null })).toBeNull()
    expect(await merged({ ...said, early_payment_discount: other })).toEqual({ ...other, taken_by: null })
    accepted(await pay(sandbox, 'btok_test_success', id))
    expect(await merged({ ...said, early_payment_discount: other })).toMatchObject(early_payment_discount)
  })
})
