import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LedgerInvoice } from '../../src/index.ts'
import type { InvoiceRow } from '../../src/invoices/invoice.ts'
import { amountDue } from '../../src/invoices/invoice-machine.ts'
import { importInvoice, mergeInvoice } from '../../src/sync-runs/merge-invoice.ts'
import { invoiceOf } from './ledger-sync.ts'

const now = '2026-02-03T00:00:00.000Z'
const made = {
  workspace: 'w',
  livemode: false,
  id: '019c0000-0000-7000-8000-000000000001',
  customer: '019c0000-0000-7000-8000-000000000002',
  links: [],
}

const imported = (said: Partial<LedgerInvoice> = {}) => importInvoice(invoiceOf(1, said), made, now)

/** Status, paid, pending, written off, due: after the ledger said this of an invoice of 10,000. */
function merged(here: Partial<InvoiceRow>, said: Partial<LedgerInvoice>, ledger_paid = 0) {
  const next = mergeInvoice({ ...imported(), ...here }, invoiceOf(1, said), { ledger_paid, now })
  return [next.status, next.amount_paid, next.amount_pending, next.written_off, amountDue(next)]
}

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
    expect(merged({ amount_paid: 4_000 }, { amount_paid: 6_000 }, 4_000)).toEqual([
      'open',
      6_000,
      0,
      0,
      4_000,
    ])
  })

  it('is opened again when the ledger took a payment back', () => {
    const paid = { status: 'paid' as const, amount_paid: 10_000 }
    expect(merged(paid, { amount_paid: 3_000 }, 10_000)).toEqual(['open', 3_000, 0, 0, 7_000])
  })

  it('keeps its amounts once money moved here', () => {
    expect(merged({ amount_paid: 4_000 }, { amount_paid: 0 })).toEqual(['open', 4_000, 0, 0, 6_000])
    expect(merged({ amount_pending: 4_000 }, { status: 'paid', amount_paid: 10_000 })).toEqual([
      'open',
      0,
      4_000,
      0,
      6_000,
    ])
  })

  it('is paid when its total sinks to what was paid here, and open again when it rises', () => {
    expect(merged({ amount_paid: 4_000 }, { total: 4_000 })).toEqual(['paid', 4_000, 0, 0, 0])
    const paid = { status: 'paid' as const, amount_paid: 10_000 }
    expect(merged(paid, { total: 12_000 })).toEqual(['open', 10_000, 0, 0, 2_000])
  })

  it('stays paid after a refund made here, whatever the ledger calls it', () => {
    const refunded = { status: 'paid' as const, amount_paid: 7_000 }
    expect(merged(refunded, { status: 'open' })).toEqual(['paid', 7_000, 0, 0, 0])
  })

  it('is canceled with the ledger, but not while a payment is under way', () => {
    expect(merged({}, { status: 'canceled' })).toEqual(['canceled', 0, 0, 0, 0])
    expect(merged({ amount_pending: 4_000 }, { status: 'canceled' })).toEqual(['open', 0, 4_000, 0, 6_000])
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
  it('adds up while it is open, and is the same row when the ledger repeats itself', () => {
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 6 }), (sentences) => {
        let invoice = imported({ total: 20 })
        let ledger_paid = 0
        for (const one of sentences) {
          invoice = mergeInvoice(invoice, invoiceOf(1, one), { ledger_paid, now })
          ledger_paid = one.amount_paid
          const { total, amount_paid, amount_pending, written_off, status } = invoice
          const sum = amount_paid + amount_pending + written_off + amountDue(invoice)
          if (status === 'open') expect(sum).toBe(total)
          const again = mergeInvoice(invoice, invoiceOf(1, one), {
            ledger_paid,
            now: '2027-01-01T00:00:00.000Z',
          })
          expect(again).toBe(invoice)
        }
      }),
      { numRuns: 500 },
    )
  })
})
