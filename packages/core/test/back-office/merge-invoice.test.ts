import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LedgerInvoice } from '../../src/index.ts'
import type { InvoiceRow } from '../../src/invoices/invoice.ts'
import { amountDue, decideMoney } from '../../src/invoices/invoice-machine.ts'
import { importInvoice, type Merged, mergeInvoice } from '../../src/ledger-invoices/merge-invoice.ts'
import { invoiceOf } from './ledger-sync.ts'

const now = '2026-02-03T00:00:00.000Z'
const made = {
  workspace: 'w',
  livemode: false,
  id: '019c0000-0000-7000-8000-000000000001',
  customer: '019c0000-0000-7000-8000-000000000002',
  links: [],
}

const importedAs = (said: Partial<LedgerInvoice> = {}) => importInvoice(invoiceOf(1, said), made, now)
const imported = (said: Partial<LedgerInvoice> = {}) => importedAs(said).invoice

/** Status, paid, pending, written off, due: after the ledger said all this of an invoice of 10,000. */
function merged(here: Partial<InvoiceRow>, ...said: Partial<LedgerInvoice>[]) {
  let last: Merged = { invoice: { ...imported(), ...here }, written_off: 0 }
  for (const one of said) last = mergeInvoice(last, invoiceOf(1, one), now)
  const { status, amount_paid, amount_pending, written_off } = last.invoice
  return [status, amount_paid, amount_pending, written_off, amountDue(last.invoice)]
}

/** After a payment that was settled here. */
const paidHere = (amount_paid: number): Partial<InvoiceRow> => ({
  paid_here: true,
  amount_paid,
  status: amount_paid === 10_000 ? 'paid' : 'open',
})

describe('an invoice that a ledger brings', () => {
  it('is open, paid or canceled as the ledger has it', () => {
    const amounts = ({ status, listed, amount_paid, written_off }: InvoiceRow) => [
      status,
      listed,
      amount_paid,
      written_off,
    ]
    expect(amounts(imported())).toEqual(['open', true, 0, 0])
    expect(amounts(imported({ amount_paid: 4_000 }))).toEqual(['open', true, 4_000, 0])
    expect(amounts(imported({ status: 'paid', amount_paid: 10_000 }))).toEqual(['paid', true, 10_000, 0])
    expect(amounts(imported({ status: 'canceled' }))).toEqual(['canceled', true, 0, 0])
  })

  it('has written off what the ledger calls paid and was not paid in money', () => {
    const { status, amount_paid, written_off } = imported({ status: 'paid', amount_paid: 9_000 })
    expect([status, amount_paid, written_off]).toEqual(['paid', 9_000, 1_000])
  })
})

describe('an invoice whose ledger speaks again', () => {
  it('takes the amounts of the ledger while no money moved here', () => {
    expect(merged({}, { amount_paid: 4_000 })).toEqual(['open', 4_000, 0, 0, 6_000])
    expect(merged({}, { status: 'paid', amount_paid: 10_000 })).toEqual(['paid', 10_000, 0, 0, 0])
    expect(merged({}, { amount_paid: 4_000 }, { amount_paid: 6_000 })).toEqual(['open', 6_000, 0, 0, 4_000])
  })

  it('is opened again when the ledger took a payment back', () => {
    const paid = { status: 'paid' as const, amount_paid: 10_000 }
    expect(merged({}, paid, { amount_paid: 3_000 })).toEqual(['open', 3_000, 0, 0, 7_000])
  })

  it('keeps its amounts once money moved here', () => {
    expect(merged(paidHere(4_000), { amount_paid: 0 })).toEqual(['open', 4_000, 0, 0, 6_000])
    expect(merged({ amount_pending: 4_000 }, { status: 'paid', amount_paid: 10_000 })).toEqual([
      'open',
      0,
      4_000,
      0,
      6_000,
    ])
  })

  it('is paid when its total sinks to what was paid here, and open again when it rises', () => {
    expect(merged(paidHere(4_000), { total: 4_000 })).toEqual(['paid', 4_000, 0, 0, 0])
    expect(merged(paidHere(10_000), { total: 12_000 })).toEqual(['open', 10_000, 0, 0, 2_000])
  })

  it('stays paid after a refund made here, whatever the ledger calls it', () => {
    const refunded = { ...paidHere(7_000), status: 'paid' as const }
    const paid = { status: 'paid' as const, amount_paid: 10_000 }
    const stays = ['paid', 7_000, 0, 0, 0]
    expect(merged(refunded, { status: 'open' })).toEqual(stays)
    expect(merged(refunded, paid, { amount_paid: 7_000 }, { amount_paid: 7_000 })).toEqual(stays)
  })

  it('keeps what was paid here when the ledger has acknowledged it, and no longer does', () => {
    const paid = { status: 'paid' as const, amount_paid: 10_000 }
    expect(merged(paidHere(10_000), paid, { amount_paid: 0 })).toEqual(['paid', 10_000, 0, 0, 0])
  })

  it('has the rest written off when the ledger calls it paid, and owes it again when it no longer does', () => {
    const paid = { status: 'paid' as const, amount_paid: 10_000 }
    expect(merged(paidHere(4_000), paid)).toEqual(['paid', 4_000, 0, 6_000, 0])
    expect(merged(paidHere(4_000), paid, { amount_paid: 4_000 })).toEqual(['open', 4_000, 0, 0, 6_000])
    const discounted = { status: 'paid' as const, amount_paid: 9_000 }
    expect(merged({}, discounted, {})).toEqual(['open', 0, 0, 0, 10_000])
    expect(merged({}, discounted, paid)).toEqual(['paid', 10_000, 0, 0, 0])
    expect(merged({ written_off: 500 }, discounted, {})).toEqual(['open', 0, 0, 500, 9_500])
  })

  it('takes the amounts of the ledger once a draft of it was sent', () => {
    const paid = { status: 'paid' as const, amount_paid: 10_000 }
    const draft: Merged = { invoice: { ...imported(), status: 'draft' }, written_off: 0 }
    const { invoice, written_off } = mergeInvoice(draft, invoiceOf(1, paid), now)
    const sent: Merged = { invoice: { ...invoice, status: 'open' }, written_off }
    expect(mergeInvoice(sent, invoiceOf(1, paid), now).invoice).toMatchObject({ status: 'paid' })
  })

  it('is canceled with the ledger, but not while a payment is under way', () => {
    expect(merged({}, { status: 'canceled' })).toEqual(['canceled', 0, 0, 0, 0])
    expect(merged({ amount_pending: 4_000 }, { status: 'canceled' })).toEqual(['open', 0, 4_000, 0, 6_000])
  })

  it('is canceled with the ledger after it was paid only where it owes money', () => {
    expect(merged(paidHere(10_000), { status: 'canceled' })).toEqual(['paid', 10_000, 0, 0, 0])
    expect(merged(paidHere(10_000), { status: 'canceled', total: 20_000 })).toEqual([
      'canceled',
      10_000,
      0,
      0,
      0,
    ])
    const paid_there = { status: 'paid' as const, amount_paid: 10_000 }
    expect(merged({}, paid_there, { status: 'canceled', amount_paid: 10_000 })).toEqual([
      'paid',
      10_000,
      0,
      0,
      0,
    ])
    expect(merged({}, paid_there, { status: 'canceled' })).toEqual(['canceled', 0, 0, 0, 0])
  })

  it('is canceled, not paid, where its ledger voids by setting the total to nothing', () => {
    const voided = { status: 'canceled' as const, total: 0 }
    const nothing = ['canceled', 0, 0, 0, 0]
    expect(imported(voided).status).toBe('canceled')
    expect(merged({}, voided)).toEqual(nothing)
    expect(merged({}, { amount_paid: 4_000 }, voided)).toEqual(nothing)
    expect(merged({}, { status: 'paid', amount_paid: 10_000 }, voided)).toEqual(nothing)
    expect(merged({}, { status: 'paid', amount_paid: 0 }, voided)).toEqual(nothing)
    // The one payment made here came back.
    expect(merged({ paid_here: true }, voided)).toEqual(nothing)
  })

  it('is not canceled by a total of nothing where money is pending, or was paid and refunded here', () => {
    const voided = { status: 'canceled' as const, total: 0 }
    expect(merged({ amount_pending: 4_000 }, voided)).toEqual(['open', 0, 4_000, 0, 0])
    expect(merged({ ...paidHere(0), status: 'paid' }, voided)).toEqual(['paid', 0, 0, 0, 0])
  })

  it('is canceled, and nothing of it written off, after the ledger had called it paid without money', () => {
    const unpaid = { status: 'paid' as const, amount_paid: 0 }
    expect(merged({}, unpaid)).toEqual(['paid', 0, 0, 10_000, 0])
    expect(merged({}, unpaid, { status: 'canceled' })).toEqual(['canceled', 0, 0, 0, 0])
    expect(merged(paidHere(4_000), unpaid, { status: 'canceled' })).toEqual(['canceled', 4_000, 0, 0, 0])
  })

  it('stays canceled, and a draft stays a draft', () => {
    expect(merged({ status: 'canceled' }, {})).toEqual(['canceled', 0, 0, 0, 0])
    expect(merged({ status: 'draft' }, { amount_paid: 5 })).toEqual(['draft', 0, 0, 0, 0])
  })

  const said = fc.record({
    status: fc.constantFrom('open' as const, 'paid' as const, 'canceled' as const),
    total: fc.integer({ min: 0, max: 50 }),
    amount_paid: fc.integer({ min: 0, max: 50 }),
  })
  /** Money that is settled here, or comes back, between two sentences. */
  const moved = fc.record({ here: fc.integer({ min: -20, max: 20 }), returned: fc.boolean() })
  it('adds up while it is open, and is the same row when the ledger repeats itself', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(said, moved), { minLength: 1, maxLength: 8 }), (history) => {
        let last = importedAs({ total: 20 })
        let taken_here = 0
        for (const one of history) {
          if ('here' in one) {
            const { invoice } = last
            if (invoice.status === 'canceled' || taken_here + one.here < 0) continue
            taken_here += one.here
            const next = decideMoney(invoice, { paid: one.here, pending: 0 }, { reopens: one.returned, now })
            last = { ...last, invoice: { ...next, paid_here: invoice.paid_here || one.here !== 0 } }
            continue
          }
          last = mergeInvoice(last, invoiceOf(1, one), now)
          const { invoice } = last
          const { total, amount_paid, amount_pending, written_off, status } = invoice
          const sum = amount_paid + amount_pending + written_off + amountDue(invoice)
          if (status === 'open') expect(sum).toBe(total)
          expect(amount_paid).toBeGreaterThanOrEqual(taken_here)
          const again = mergeInvoice(last, invoiceOf(1, one), '2027-01-01T00:00:00.000Z')
          expect(again).toEqual(last)
          expect(again.invoice).toBe(invoice)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
