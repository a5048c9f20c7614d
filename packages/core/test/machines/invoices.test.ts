import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { InvoiceRow } from '../../src/invoices/invoice.ts'
import {
  amountDue,
  decideInvoice,
  decideMoney,
  discountToday,
  grantDiscount,
  type InvoiceTrigger,
  invoiceTransitions,
  isPastDue,
  withdrawDiscount,
} from '../../src/invoices/invoice-machine.ts'
import { describeMachine } from './describe-machine.ts'

const scope = { workspace: 'w', livemode: false }
const id = '019c0000-0000-7000-8000-000000000001'
const earlier = '2026-02-01T00:00:00.000Z'
const now = '2026-02-03T00:00:00.000Z'

function invoiceIn(status: string | null, columns: Partial<InvoiceRow> = {}): InvoiceRow {
  return sampleRow('invoices', scope, id, {
    status: status as InvoiceRow['status'],
    listed: status !== 'draft',
    created_at: earlier,
    changed_at: earlier,
    total: 1000,
    amount_paid: 0,
    amount_pending: 0,
    written_off: 0,
    ...columns,
  })
}

describeMachine<InvoiceRow>('an invoice', {
  statuses: ['draft', 'open', 'paid', 'canceled'],
  triggers: ['schedule', 'send', 'covered', 'reopen', 'cancel'],
  rows: invoiceTransitions,
  expected: [
    { from: 'draft', on: 'schedule', to: 'open', stamps: ['changed_at'] },
    { from: 'draft', on: 'send', to: 'open', stamps: ['changed_at'] },
    { from: 'open', on: 'send', to: 'open', stamps: ['changed_at'] },
    { from: 'open', on: 'covered', to: 'paid', stamps: ['changed_at'] },
    { from: 'open', on: 'cancel', to: 'canceled', stamps: ['changed_at'] },
    { from: 'paid', on: 'reopen', to: 'open', stamps: ['changed_at'] },
  ],
  stamps: ['changed_at', 'created_at'],
  refusal: 'conflict',
  row: (status) => invoiceIn(status),
  decide: (row, on, at) => decideInvoice(row, on as InvoiceTrigger, at).map((next) => ({ next })),
})

type Amounts = [paid: number, pending: number, written_off: number]

/** An invoice of 1000 with these amounts, after this money moved on it. */
function moved(
  status: string,
  [amount_paid, amount_pending, written_off]: Amounts,
  { paid = 0, pending = 0, returned = false }: { paid?: number; pending?: number; returned?: boolean },
) {
  const row = invoiceIn(status, { amount_paid, amount_pending, written_off })
  const next = decideMoney(row, { paid, pending }, { reopens: returned, now })
  return [next.status, next.amount_paid, next.amount_pending, amountDue(next)]
}

describe('the money of an invoice of 1000', () => {
  it.each([
    ['a debit begins', 'open', [0, 0, 0], { pending: 600 }, ['open', 0, 600, 400]],
    ['a debit for all of it begins', 'open', [0, 0, 0], { pending: 1000 }, ['open', 0, 1000, 0]],
    [
      'a debit for all of it settles',
      'open',
      [0, 1000, 0],
      { paid: 1000, pending: -1000 },
      ['paid', 1000, 0, 0],
    ],
    ['a debit fails', 'open', [0, 600, 0], { pending: -600 }, ['open', 0, 0, 1000]],
    ['a part settles', 'open', [0, 600, 0], { paid: 600, pending: -600 }, ['open', 600, 0, 400]],
    ['the rest settles', 'open', [600, 400, 0], { paid: 400, pending: -400 }, ['paid', 1000, 0, 0]],
    [
      'the rest settles beside a write-off',
      'open',
      [0, 600, 400],
      { paid: 600, pending: -600 },
      ['paid', 600, 0, 0],
    ],
    [
      'it is covered and money is pending',
      'open',
      [0, 700, 600],
      { paid: 400, pending: -400 },
      ['open', 400, 300, 0],
    ],
    ['an open one is refunded', 'open', [600, 0, 0], { paid: -200 }, ['open', 400, 0, 600]],
    ['a paid one is refunded', 'paid', [1000, 0, 0], { paid: -200 }, ['paid', 800, 0, 0]],
    ['a paid one comes back', 'paid', [1000, 0, 0], { paid: -1000, returned: true }, ['open', 0, 0, 1000]],
    ['a refunded one comes back', 'paid', [800, 0, 0], { paid: -800, returned: true }, ['open', 0, 0, 1000]],
    [
      'a part comes back beside a write-off',
      'paid',
      [600, 0, 400],
      { paid: -600, returned: true },
      ['open', 0, 0, 600],
    ],
    [
      'a canceled one comes back',
      'canceled',
      [300, 0, 0],
      { paid: -300, returned: true },
      ['canceled', 0, 0, 0],
    ],
    ['nothing of it is owed after all', 'open', [0, 0, 1000], {}, ['paid', 0, 0, 0]],
  ] as [string, string, Amounts, { paid?: number; pending?: number; returned?: boolean }, unknown[]][])(
    'when %s',
    (_, status, amounts, money, expected) => {
      expect(moved(status, amounts, money)).toEqual(expected)
    },
  )

  it('adds up while it is open: paid, pending, due and written off are the total', () => {
    const amounts = fc.tuple(fc.nat(400), fc.nat(300), fc.nat(300))
    fc.assert(
      fc.property(amounts, ([amount_paid, amount_pending, written_off]) => {
        const row = invoiceIn('open', { amount_paid, amount_pending, written_off })
        expect(amountDue(row) + amount_paid + amount_pending + written_off).toBe(1000)
        for (const settled of ['paid', 'canceled', 'draft'])
          expect(amountDue({ ...row, status: settled as InvoiceRow['status'] })).toBe(0)
      }),
    )
  })
})

describe('an early-payment discount of 25 until 2026-02-10', () => {
  const offered = { amount: 25, until: '2026-02-10', taken_by: null }
  const taken = { ...offered, taken_by: 'pay_test_1' }
  const last_day = '2026-02-10T23:59:59.999Z'
  const with_it = (columns: Partial<InvoiceRow> = {}) =>
    invoiceIn('open', { early_payment_discount: offered, ...columns })

  it('is left to who pays all the rest by that day, and to nobody once it is taken', () => {
    expect(discountToday(with_it(), last_day)).toBe(25)
    expect(discountToday(with_it(), '2026-02-11T00:00:00.000Z')).toBe(0)
    expect(discountToday(with_it({ early_payment_discount: taken }), last_day)).toBe(0)
    expect(discountToday(invoiceIn('open', { early_payment_discount: null }), last_day)).toBe(0)
  })

  it('leaves something to pay', () => {
    expect(discountToday(with_it({ amount_paid: 974 }), last_day)).toBe(25)
    expect(discountToday(with_it({ amount_paid: 975 }), last_day)).toBe(0)
  })

  it('is written off for the payment that takes it, once', () => {
    const next = grantDiscount(with_it({ written_off: 10 }), 'pay_test_1')
    expect(next).toEqual(with_it({ written_off: 35, early_payment_discount: taken }))
    for (const none of [taken, null])
      expect(() => grantDiscount(with_it({ early_payment_discount: none }), 'pay_test_2')).toThrow(
        'There is no discount to grant.',
      )
  })

  it('is owed again when that payment gives it back, and no other', () => {
    const row = with_it({ written_off: 35, early_payment_discount: taken })
    expect(withdrawDiscount(row, 'pay_test_1')).toEqual(with_it({ written_off: 10 }))
    expect(withdrawDiscount(row, 'pay_test_2')).toEqual(row)
  })
})

describe('an invoice that is due on 2026-02-03', () => {
  const due = { due_date: '2026-02-03' }

  it.each([
    ['open', '2026-02-03T00:00:00.000Z', false],
    ['open', '2026-02-03T23:59:59.999Z', false],
    ['open', '2026-02-04T00:00:00.000Z', true],
    ['open', '2027-01-01T00:00:00.000Z', true],
    ['paid', '2027-01-01T00:00:00.000Z', false],
    ['canceled', '2027-01-01T00:00:00.000Z', false],
  ])('and is %s is past due at %s: %s', (status, at, expected) => {
    expect(isPastDue(invoiceIn(status, due), at)).toBe(expected)
  })
})
