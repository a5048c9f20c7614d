import type { ChargeRequest } from '@quittance/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dueQueue } from '../src/due-queue.ts'
import { memoryLedger } from '../src/ledger.ts'
import type { Totals } from '../src/records.ts'
import { type SimulatedProcessor, simulatedProcessor } from '../src/simulated-processor.ts'

const start_ms = Date.parse('2026-01-31T12:00:00.000Z')
const tokens = [
  ...['tok_test_visa', 'tok_test_declined', 'tok_test_unknown_approved', 'tok_test_unknown_forever'],
  ...['tok_test_chargeback', 'tok_test_refund_pending', 'tok_test_refund_fails'],
  ...['btok_test_success', 'btok_test_account_closed', 'btok_test_late_return', 'btok_test_never_settles'],
]
const calls = [
  'charge',
  'refund',
  'void',
  'lookup',
  'notifications',
  'settle',
  'fail',
  'return',
  'dispute',
  'end',
] as const

const charge = fc.record({ token: fc.constantFrom(...tokens), amount: fc.integer({ min: 1, max: 200 }) }).map(
  ({ token, amount }): Omit<ChargeRequest, 'key'> => ({
    token,
    type: token.startsWith('btok') ? 'us_bank_account' : 'card',
    amount,
    currency: 'USD',
    at: new Date(start_ms).toISOString(),
  }),
)

const step = fc.record({
  call: fc.constantFrom(...calls),
  charge: fc.nat({ max: 3 }),
  refund: fc.nat({ max: 3 }),
  amount: fc.integer({ min: 1, max: 100 }),
  /** Mostly not at all, or some minutes; up to two days, sometimes backwards. */
  moved_ms: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 600_000 }),
    fc.integer({ min: -3_600_000, max: 172_800_000 }),
  ),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

it('never gives back more than was captured, and its totals are the sum of its charges and refunds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(charge, charge, charge, charge),
      fc.array(step, { maxLength: 60 }),
      async (charges, steps) => {
        const ledger = memoryLedger()
        const processor = simulatedProcessor({ ledger })
        for (const [n, request] of charges.entries())
          await processor.charge({ ...request, key: `charge-${n}` })
        let now_ms = start_ms
        for (const step of steps) {
          now_ms += step.moved_ms
          await take(processor, step, new Date(now_ms).toISOString())
          expectConserved(processor)
        }
        // A restart holds the same, and tells the same.
        const again = simulatedProcessor({ ledger })
        expect(again.ledger.charges()).toEqual(processor.ledger.charges())
        expect(again.ledger.totals()).toEqual(processor.ledger.totals())
        const question = { after: null, at: '2036-01-31T12:00:00.000Z' }
        const told = await processor.notifications(question)
        expect(await again.notifications(question)).toEqual(told)
        expect(new Set(told.notifications.map(({ id }) => id)).size).toBe(told.notifications.length)
      },
    ),
  )
})

it('lets things happen in the order of their times, and of their planning where the times are equal', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat({ max: 20 }), fc.constant(null))), (pushes) => {
      const queue = dueQueue<{ due_ms: number; n: number }>()
      const model: { due_ms: number; n: number }[] = []
      for (const [n, due_ms] of pushes.entries()) {
        if (due_ms === null) expect(queue.pop()).toEqual(model.shift())
        else {
          queue.push({ due_ms, n })
          model.push({ due_ms, n })
          model.sort((a, b) => a.due_ms - b.due_ms || a.n - b.n)
        }
        expect(queue.peek()).toEqual(model[0])
      }
    }),
  )
})

async function take(processor: SimulatedProcessor, step: Step, at: string): Promise<void> {
  const key = `charge-${step.charge}`
  const refund_key = `refund-${step.charge}-${step.refund}`
  const { control } = processor
  if (step.call === 'refund') {
    const amount = processor.ledger.refund(refund_key)?.amount ?? step.amount
    await processor.refund({ key: refund_key, charge_key: key, amount, currency: 'USD', at })
  }
  if (step.call === 'void') await processor.void({ key, at })
  if (step.call === 'lookup') await processor.lookup({ key: step.refund === 0 ? key : refund_key, at })
  if (step.call === 'notifications') await processor.notifications({ after: null, at })
  if (step.call === 'settle') control.settle(key, at)
  if (step.call === 'fail') control.fail(key, at)
  if (step.call === 'return') control.returnCharge(key, 'R01', at)
  if (step.call === 'dispute') control.chargeback(key, at)
  if (step.call === 'end')
    step.amount % 2 === 0 ? control.succeedRefund(refund_key, at) : control.failRefund(refund_key, at)
}

/** The same sums, taken from the histories alone. */
function expectConserved({ ledger }: SimulatedProcessor): void {
  const sums: Totals = { captured: 0, refunded: 0, returned: 0 }
  for (const charge of ledger.charges()) {
    const captured = charge.history.some(({ state }) => state.kind === 'approved' || state.kind === 'settled')
    const refunds = ledger.refunds().filter(({ charge_key }) => charge_key === charge.key)
    const refunded = sum(refunds.filter(({ state }) => state.kind === 'succeeded'))
    const promised = sum(refunds.filter(({ state }) => state.kind !== 'refused'))
    expect(promised).toBeLessThanOrEqual(captured ? charge.amount : 0)
    if (captured) sums.captured += charge.amount
    if (captured && charge.state.kind === 'returned') sums.returned += charge.amount - refunded
    sums.refunded += refunded
  }
  expect(ledger.totals().USD ?? { captured: 0, refunded: 0, returned: 0 }).toEqual(sums)
}

function sum(rows: { amount: number }[]): number {
  return rows.reduce((total, { amount }) => total + amount, 0)
}
