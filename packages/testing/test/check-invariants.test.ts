import { describe, expect, it } from 'vitest'
import { accepted, pay } from '../src/builders/requests.ts'
import { draftedInvoice, openCheckout, refund } from '../src/builders/sales.ts'
import { openSandbox } from '../src/builders/sandbox.ts'
import { checkInvariants, type Moment } from '../src/index.ts'
import { readRows } from '../src/invariants/rows.ts'

/** What a moment becomes when something goes wrong, row by row. */
type Mutable = { -readonly [Table in keyof Moment['rows']]: Moment['rows'][Table][number][] }
interface Tampered {
  rows: Mutable
  charges: { -readonly [Field in keyof Moment['charges'][number]]: Moment['charges'][number][Field] }[]
}

/**
 * A card paid and given back in part, a debit settled, a decline, a charge that never left, an open page, a draft, and an
 * endpoint that is told of it all.
 */
async function settledMoment(): Promise<Moment> {
  const sandbox = await openSandbox()
  const { engine, caller, clock, store, scope } = sandbox
  const input = { url: 'https://receiver.example.com', enabled_events: ['*' as const] }
  accepted(await engine.webhook_endpoints.create(caller, input))
  for (const token of ['btok_test_success', 'tok_test_declined', 'tok_test_unreachable'])
    await pay(sandbox, token)
  clock.advance(60_000)
  const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
  accepted(await refund(sandbox, { payment, amount: 250 }))
  await openCheckout(sandbox)
  await draftedInvoice(sandbox)
  await engine.reconcile()
  const rows = await readRows(store, scope)
  const { ledger } = sandbox.processor
  return {
    rows,
    charges: ledger.charges(),
    refunded: ledger.refunds(),
    now: new Date(clock.now()).toISOString(),
  }
}

function first<Item>(items: readonly Item[]): Item {
  const [item] = items
  if (item === undefined) throw new Error('there is nothing to tamper with')
  return item
}

const inStatus = (rows: Mutable, status: string) =>
  first(rows.payments.filter((one) => one.status === status))

const paid = (rows: Mutable, to: Partial<Mutable['payments'][number]>) =>
  void Object.assign(inStatus(rows, 'succeeded'), to)
const refundedWith = (rows: Mutable, to: Partial<Mutable['refunds'][number]>) =>
  void Object.assign(first(rows.refunds), to)

const breaches: [string, string, (tampered: Tampered) => void][] = [
  ['M1', 'a second charge under one key', ({ charges }) => void charges.push({ ...first(charges) })],
  [
    'M2',
    'a key that made the payment of another',
    ({ rows }) => {
      const keys = rows.idempotency_keys
      for (const key of keys) key.intent = first(keys).intent
    },
  ],
  [
    'M3',
    'a capture whose payment failed',
    ({ rows }) => void Object.assign(inStatus(rows, 'succeeded'), { status: 'failed', evidence: 'answer' }),
  ],
  ['M4', 'a charge without a payment', ({ rows }) => void rows.payments.shift()],
  ['M4', 'charges where no payment is left', ({ rows }) => void rows.payments.splice(0)],
  [
    'M5',
    'another amount at the processor',
    ({ charges }) => void Object.assign(first(charges), { amount: 5 }),
  ],
  [
    'M6',
    'an intent that is listed',
    ({ rows }) => void Object.assign(inStatus(rows, 'failed'), { status: null }),
  ],
  [
    'M7',
    'a failure without evidence',
    ({ rows }) => void Object.assign(inStatus(rows, 'failed'), { evidence: null }),
  ],
  [
    'M8',
    'a one-time method that was charged and is active',
    ({ rows }) =>
      void Object.assign(first(rows.payment_methods.filter(({ status }) => status === 'consumed')), {
        status: 'active',
      }),
  ],
  [
    'M9',
    'a session that yielded two methods',
    ({ rows }) => void rows.payment_methods.push({ ...first(rows.payment_methods), id: 'pm_test_2' }),
  ],
  [
    'M10',
    'a charge after the method expired',
    ({ charges }) => void Object.assign(first(charges), { at: '2027-01-01T00:00:00.000Z' }),
  ],
  [
    'M11',
    'a debit without an authorization',
    ({ rows }) =>
      void Object.assign(first(rows.payment_methods.filter(({ type }) => type === 'us_bank_account')), {
        terms_version: null,
      }),
  ],
  [
    'M12',
    'a charge that "never left" and is there',
    ({ rows }) => {
      const failed = rows.payments.filter(({ failure }) => failure?.code === 'declined')
      Object.assign(first(failed), { failure: { ...first(failed).failure, code: 'processor_unreachable' } })
    },
  ],
  ['M13', 'more given back than was taken', ({ rows }) => refundedWith(rows, { amount: 99_999 })],
  ['M17', 'a sum that its refunds do not have', ({ rows }) => paid(rows, { amount_refunded: 5000 })],
  ['M18', 'a refund in another currency', ({ rows }) => refundedWith(rows, { currency: 'CAD' })],
  ['M15', 'a refund that the processor does not have', ({ rows }) => refundedWith(rows, { id: 're_test_2' })],
  [
    'M16',
    'a refund before the payment',
    ({ rows }) => refundedWith(rows, { created_at: '2026-01-01T00:00:00.000Z' }),
  ],
  ['M19', 'a refund that succeeded at no time', ({ rows }) => refundedWith(rows, { succeeded_at: null })],
  [
    'M21',
    'an invoice paid by nobody',
    ({ rows }) => void Object.assign(first(rows.invoices), { amount_paid: 100 }),
  ],
  [
    'M26',
    'a page complete without a payment',
    ({ rows }) => void Object.assign(first(rows.checkout_sessions), { status: 'complete' }),
  ],
  [
    'M27',
    'a page that nobody said has expired',
    ({ rows }) => void Object.assign(first(rows.checkout_sessions), { status: 'expired' }),
  ],
  [
    'M29',
    'a page with a payer who is not there',
    ({ rows }) => void Object.assign(first(rows.checkout_sessions), { paying: 'pay_test_2' }),
  ],
  ['M30', 'a status nobody announced', ({ rows }) => void rows.events.pop()],
  [
    'M31',
    'a status announced twice',
    ({ rows }) => void rows.events.push({ ...first(rows.events), id: 'evt_test_2' }),
  ],
  [
    'M33',
    'events that go back in time',
    ({ rows }) =>
      void Object.assign(first(rows.events.filter(({ type }) => type === 'payment.processing')), {
        created_at: '2027-01-01T00:00:00.000Z',
      }),
  ],
  [
    'M34',
    'an event emitted twice to one endpoint',
    ({ rows }) => void rows.deliveries.push({ ...first(rows.deliveries), id: 'another' }),
  ],
  ['M35', 'a ninth attempt', ({ rows }) => void Object.assign(first(rows.deliveries), { attempt_count: 9 })],
  [
    'M36',
    'a success without a 2xx',
    ({ rows }) =>
      void Object.assign(first(rows.deliveries), {
        status: 'succeeded',
        pending_of: null,
        next_attempt_at: null,
      }),
  ],
  [
    'M40',
    'two pending deliveries of one event',
    ({ rows }) => void rows.deliveries.push({ ...first(rows.deliveries), id: 'another', origin: 'resend' }),
  ],
  [
    'M44',
    'a 402 for a payment that succeeded',
    ({ rows }) => {
      const { id } = inStatus(rows, 'succeeded')
      Object.assign(first(rows.idempotency_keys.filter(({ intent }) => intent === id)), {
        answer_status: 402,
      })
    },
  ],
  [
    'M47',
    'a live row in the sandbox',
    ({ rows }) => void Object.assign(first(rows.payments), { livemode: true }),
  ],
  ['M48', 'half a cent', ({ rows }) => void Object.assign(first(rows.payments), { amount: 10.5 })],
  [
    'M53',
    'a payment processing for ever',
    ({ rows }) => void Object.assign(inStatus(rows, 'succeeded'), { status: 'processing' }),
  ],
]

/** What only shows beside the rows of the step before. */
const rewritings: typeof breaches = [
  [
    'M6',
    'a final payment that moves',
    ({ rows }) => void Object.assign(inStatus(rows, 'failed'), { status: 'succeeded' }),
  ],
  [
    'M32',
    'an event that is rewritten',
    ({ rows }) => void Object.assign(first(rows.events), { created_at: '2026-01-31T12:00:00.001Z' }),
  ],
  [
    'M42',
    'an answer that is rewritten',
    ({ rows }) => void Object.assign(first(rows.idempotency_keys), { answer_body: '{}' }),
  ],
  [
    'M42',
    'an answer with another status',
    ({ rows }) => void Object.assign(first(rows.idempotency_keys), { answer_status: 202 }),
  ],
]

describe('the invariant checker', () => {
  it('finds nothing in a history that is right', async () => {
    expect(checkInvariants({ ...(await settledMoment()), quiet: true })).toEqual([])
  })

  it.each(breaches)('finds %s broken by %s', async (invariant, _, tamper) => {
    const moment = structuredClone(await settledMoment())
    tamper(moment as unknown as Tampered)
    const found = checkInvariants({ ...moment, quiet: true }).map((violation) => violation.invariant)
    expect(found).toContain(invariant)
  })

  it.each(rewritings)('finds %s broken by %s', async (invariant, _, tamper) => {
    const before = await settledMoment()
    const after = structuredClone(before)
    tamper(after as unknown as Tampered)
    const found = checkInvariants({ ...after, before: before.rows }).map((violation) => violation.invariant)
    expect(found).toContain(invariant)
  })

  it('finds M34 broken by a subscribed endpoint that is told nothing', async () => {
    const moment = await settledMoment()
    const before = { ...moment.rows, events: [], deliveries: [] }
    const deaf = { ...moment, before, rows: { ...moment.rows, deliveries: [] } }
    expect(checkInvariants(deaf).map(({ invariant }) => invariant)).toContain('M34')
  })
})
