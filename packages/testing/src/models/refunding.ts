import type { RefundStep } from '@quittance/core'
import { helpersOf, shownRefund } from '../builders/sales.ts'
import { type Command, chosen, codeOf, command, mustEqual, nowOf } from './command.ts'
import { sendUnder } from './keys.ts'
import type { Model, ModelPayment } from './model.ts'
import { givenBack, heldStatus, moveRefund, reconciled } from './money.ts'
import { type Foreseen, foreseenRefund, type RefundStatus } from './tokens.ts'

interface Refunding {
  drawn: number
  amount: number | undefined
  key: string
}

/** Refunds a payment, or `amount` of it. */
export function refundPayment({ drawn, amount, key }: Refunding): Command {
  return command(`refund(${drawn}, ${amount ?? 'all'}, ${key})`, async (model, running) => {
    const payment = chosen(model.payments, drawn)
    if (!payment) return
    const now_ms = nowOf(running)
    const { succeeded, pending } = givenBack(model, payment)
    const asked = amount ?? payment.amount - succeeded - pending
    const expected = expectedRefund(model, payment, { asked, now_ms })
    const input = { payment: payment.id, ...(amount === undefined ? {} : { amount }) }
    const answer = await sendUnder({ model, running }, 'refunds.create', { input, key })
    if (answer === null) return
    mustEqual('refunds.create', answer.code, typeof expected === 'string' ? expected : expected.code)
    if (typeof expected === 'string') return

    const body = JSON.parse(answer.body)
    const shown = await shownRefund(running.sandbox, body.error?.refund ?? body.id)
    mustEqual('the refund', shown.status, expected.status)
    const { status, coming } = expected
    const refund = { id: shown.id, payment, amount: asked, status, coming, announced: [] }
    model.refunds.push(refund)
    moveRefund(model, refund, status)
  })
}

/** The code with which it is refused before the processor is called, or what becomes of it. */
function expectedRefund(
  model: Model,
  payment: ModelPayment,
  { asked, now_ms }: { asked: number; now_ms: number },
): string | Foreseen<RefundStatus> {
  if (payment.hidden) return 'resource_missing'
  if (payment.status !== 'succeeded') return 'payment_not_refundable'
  const { succeeded, pending } = givenBack(model, payment)
  if (pending > 0) return 'refund_in_flight'
  if (asked < 1 || succeeded + asked > payment.amount) return 'refund_amount_exceeds_balance'
  // The payment may already be returned without the engine knowing.
  const came_back = heldStatus(payment, now_ms) === 'returned'
  return came_back
    ? { code: 'refund_failed', status: 'failed', coming: [] }
    : foreseenRefund(payment.token, now_ms)
}

/** Makes the processor decide a pending refund. */
export function decideRefund(step: RefundStep, drawn: number): Command {
  return command(`${step}Refund(${drawn})`, async (model, running) => {
    const refund = chosen(model.refunds, drawn)
    if (!refund) return
    const now_ms = nowOf(running)
    const { engine, caller } = running.sandbox
    const result = await helpersOf(engine).refund[step](caller, { id: refund.id })
    const decided = refund.status !== 'pending' || refund.coming.some(({ at_ms }) => at_ms <= now_ms)
    mustEqual(step, codeOf(result), decided ? 'conflict' : null)
    if (decided) return
    reconciled(model, now_ms, () => {
      refund.coming = []
      moveRefund(model, refund, step === 'succeed' ? 'succeeded' : 'failed')
    })
  })
}
