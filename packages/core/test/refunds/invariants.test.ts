import { describe, expect, it } from 'vitest'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import {
  openCheckout,
  payByHelper,
  payInvoice,
  payInvoiceOnPage,
  refund,
  sentInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { checkInvariants } from '../../../testing/src/invariants/check-invariants.ts'
import type { Moment } from '../../../testing/src/invariants/moment.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { iso } from '../../src/schema/timestamps.ts'

type Tables = { -readonly [Table in keyof Moment['rows']]: Moment['rows'][Table][number][] }
interface Tampered {
  rows: Tables
  charges: Moment['charges'][number][]
  refunded: Moment['refunded'][number][]
  shown_invoices: NonNullable<Moment['shown_invoices']>[number][]
}

/** Two payments refunded, one pending; a page paid, one expired, one open; an invoice paid, one in part. */
async function sold(): Promise<Moment> {
  const sandbox = await openSandbox()
  const { engine, caller, store, scope, clock, processor } = sandbox
  for (const token of ['tok_test_visa', 'tok_test_refund_refused', 'tok_test_refund_pending']) {
    const { id: payment } = accepted(await pay(sandbox, token))
    await refund(sandbox, { payment, amount: 300 })
  }
  accepted(await payByHelper(sandbox, { id: (await openCheckout(sandbox)).id, token: 'tok_test_visa' }))
  accepted(await engine.checkout_sessions.expire(caller, { id: (await openCheckout(sandbox)).id }))
  await openCheckout(sandbox)
  const { id: part } = await sentInvoice(sandbox)
  accepted(await payInvoice(sandbox, 'tok_test_visa', { invoice: part, amount: 400 }))
  const { id: invoice } = await sentInvoice(sandbox)
  accepted(await payInvoiceOnPage(sandbox, 'tok_test_visa', { invoice, amount: 1000 }))
  return {
    now: iso(clock.now()),
    rows: await readRows(store, scope),
    charges: processor.ledger.charges(),
    refunded: processor.ledger.refunds(),
    shown_invoices: accepted(await engine.invoices.list(caller, {})).data,
  }
}

function one<Item>(items: readonly Item[], like: Partial<Item> = {}): Item {
  const found = items.find((item) =>
    Object.entries(like).every(([key, value]) => item[key as keyof Item] === value),
  )
  if (found === undefined) throw new Error('there is nothing to tamper with')
  return found
}

const set = (row: object, columns: object) => void Object.assign(row, columns)

/** What the processor holds of the payment on an invoice's page. */
function pageCharge({ rows, charges }: Pick<Tampered, 'rows' | 'charges'>) {
  const { id } = one(rows.payments, { source: 'invoice_page' })
  return one(charges.filter(({ key }) => key.endsWith(id)))
}

const refused = (failure_code: string) => ({ kind: 'refused', failure_code, message: 'No.' })

const breaches: [string, string, (tampered: Tampered) => void][] = [
  [
    'M1',
    'a second charge for money taken on a page',
    ({ rows, charges }) => void charges.push(pageCharge({ rows, charges })),
  ],
  [
    'M3',
    'money taken on a page and not at the processor',
    ({ rows, charges }) => void charges.splice(charges.indexOf(pageCharge({ rows, charges })), 1),
  ],
  [
    'M3',
    'a payment that failed on a page and was charged',
    ({ rows }) => set(one(rows.payments, { source: 'invoice_page' }), { status: 'failed' }),
  ],
  ['M5', 'another amount taken on a page', (tampered) => set(pageCharge(tampered), { amount: 999 })],
  [
    'M3',
    'a chargeback nobody heard of',
    ({ charges }) =>
      set(one(charges), { state: { kind: 'returned', return_code: 'chargeback', message: '' } }),
  ],
  [
    'M3',
    'a charge that was stopped and not here',
    ({ charges }) => set(one(charges), { state: { kind: 'voided' } }),
  ],
  [
    'M7',
    'a return for another reason',
    ({ rows, charges }) => {
      const failure = { code: 'bank_return', message: '', decline_code: null, return_code: 'R01' }
      set(one(rows.payments), { status: 'returned', failure })
      for (const charge of charges)
        set(charge, { state: { kind: 'returned', return_code: 'R02', message: '' } })
    },
  ],
  [
    'M7',
    'a decline for another reason',
    ({ rows, charges }) => {
      const failure = { code: 'declined', message: '', decline_code: 'a', return_code: null }
      set(one(rows.payments), { status: 'failed', failure })
      for (const charge of charges)
        set(charge, { state: { kind: 'declined', decline_code: 'b', message: '' } })
    },
  ],
  [
    'M7',
    'a refund refused for another reason',
    ({ refunded }) =>
      set(one(refunded.filter(({ state }) => state.kind === 'refused')), { state: refused('else') }),
  ],
  [
    'M13',
    'more given back than was taken',
    ({ rows }) => set(one(rows.refunds, { status: 'succeeded' }), { amount: 1001 }),
  ],
  [
    'M14',
    'two refunds under way',
    ({ rows }) => {
      const pending = one(rows.refunds, { status: 'pending' })
      rows.refunds.push({ ...pending, id: 're_test_2', status: null, listed: false })
    },
  ],
  ['M15', 'a second refund under one key', ({ refunded }) => void refunded.push(one(refunded))],
  ['M15', 'a refund that the processor forgot', ({ refunded }) => refunded.splice(0, refunded.length)],
  [
    'M15',
    'a refund that failed here and was made there',
    ({ rows }) => set(one(rows.refunds, { status: 'succeeded' }), { status: 'failed' }),
  ],
  [
    'M15',
    'a refund that is pending here and was refused there',
    ({ refunded }) =>
      set(one(refunded.filter(({ state }) => state.kind === 'pending')), { state: refused('late') }),
  ],
  ['M15', 'a refund nobody asked for', ({ rows }) => void rows.refunds.shift()],
  ['M16', 'a refund of what never succeeded', ({ rows }) => set(one(rows.payments), { succeeded_at: null })],
  [
    'M17',
    'a failed refund that keeps its amount',
    ({ rows }) => set(one(rows.payments, { amount_refunded: 0 }), { amount_refunded: 300 }),
  ],
  ['M18', 'another currency', ({ rows }) => set(one(rows.refunds), { currency: 'CAD' })],
  [
    'M19',
    'an end without its time',
    ({ rows }) => set(one(rows.refunds, { status: 'succeeded' }), { succeeded_at: null }),
  ],
  [
    'M20',
    'terms that do not add up',
    ({ shown_invoices }) => set(one(shown_invoices, { status: 'open' }), { amount_due: 1 }),
  ],
  ['M21', 'money paid by nobody', ({ rows }) => set(one(rows.invoices), { amount_paid: 500 })],
  ['M22', 'money pending from nobody', ({ rows }) => set(one(rows.invoices), { amount_pending: 1 })],
  [
    'M23',
    'money due on a paid invoice',
    ({ shown_invoices }) => set(one(shown_invoices, { status: 'paid' }), { amount_due: 5 }),
  ],
  [
    'M24',
    'an address nothing can be paid at',
    ({ shown_invoices }) =>
      set(one(shown_invoices, { status: 'paid' }), { payment_url: 'https://x.example' }),
  ],
  ['M24', 'past due before its day', ({ shown_invoices }) => set(one(shown_invoices), { past_due: true })],
  ['M25', 'more than the total', ({ rows }) => set(one(rows.invoices), { total: 399 })],
  [
    'M26',
    'complete without a payment',
    ({ rows }) => set(one(rows.checkout_sessions, { status: 'complete' }), { payment: null }),
  ],
  [
    'M27',
    'closed and not announced',
    ({ rows }) => set(one(rows.checkout_sessions, { status: 'open' }), { status: 'expired' }),
  ],
  [
    'M28',
    'expired with a charge',
    ({ rows }) => set(one(rows.checkout_sessions, { status: 'complete' }), { status: 'expired' }),
  ],
  [
    'M29',
    'a payment in flight that is not there',
    ({ rows }) => set(one(rows.checkout_sessions, { status: 'open' }), { paying: 'pay_test_1' }),
  ],
  ['M30', 'a refund nobody heard of', ({ rows }) => rows.events.splice(0, rows.events.length)],
  [
    'M31',
    'a page payment that is announced',
    ({ rows }) => set(one(rows.events), { subject: one(rows.payments, { source: 'invoice_page' }).id }),
  ],
  ['M49', 'money the processor does not hold', ({ charges }) => void charges.splice(0, 1)],
]

describe('the checker of what is sold', () => {
  it('finds nothing in a history that is right', async () => {
    expect(checkInvariants(await sold())).toEqual([])
  })

  it.each(breaches)('finds %s broken by %s', async (invariant, _, tamper) => {
    const sales = structuredClone(await sold())
    tamper(sales as unknown as Tampered)
    expect(checkInvariants({ ...sales, quiet: true }).map((found) => found.invariant)).toContain(invariant)
  })

  it.each([
    ['M19', (t: Tampered) => set(one(t.rows.refunds, { status: 'failed' }), { status: 'pending' })],
    [
      'M26',
      (t: Tampered) => set(one(t.rows.checkout_sessions, { status: 'complete' }), { payment: 'pay_x' }),
    ],
    ['M27', (t: Tampered) => set(one(t.rows.checkout_sessions, { status: 'expired' }), { status: 'open' })],
  ])('finds %s broken by what was final and moves', async (invariant, tamper) => {
    const before = await sold()
    const after = structuredClone(before)
    tamper(after as unknown as Tampered)
    const found = checkInvariants({ ...after, before: before.rows })
    expect(found.map((violation) => violation.invariant)).toContain(invariant)
  })
})
