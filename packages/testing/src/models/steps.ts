import type { PaymentStep } from '@quittance/core'
import type { Model, ModelPayment } from './model.ts'
import { heldStatus, movePayment, reconciled } from './money.ts'
import { batch_ms, isUnanswered, type PaymentStatus } from './tokens.ts'

/** What a step made to happen in the sandbox does to a payment; nothing if it does not apply. */
export function takeStep(
  model: Model,
  payment: ModelPayment,
  { step, now_ms }: { step: PaymentStep; now_ms: number },
): void {
  const status = payment.bank ? ofDebit(payment, step, now_ms) : ofCard(payment, step, now_ms)
  if (status === null) return
  const happen = () => {
    payment.coming = status === payment.coming[0]?.status ? earlier(payment, now_ms) : []
    payment.told = true
    if (payment.status !== status) movePayment(model, payment, status)
  }
  // A void is asked of the processor itself; of anything else it tells the engine, which reconciles.
  if (step === 'void') happen()
  else reconciled(model, now_ms, happen)
}

function ofDebit(payment: ModelPayment, step: PaymentStep, now_ms: number): PaymentStatus | null {
  const held = heldStatus(payment, now_ms)
  if (step === 'return') return held === 'processing' || held === 'succeeded' ? 'returned' : null
  if (held !== 'processing') return null
  if (step === 'settle') return 'succeeded'
  if (step === 'fail') return 'failed'
  return step === 'void' && now_ms < payment.made_ms + batch_ms ? 'canceled' : null
}

function ofCard(payment: ModelPayment, step: PaymentStep, now_ms: number): PaymentStatus | null {
  const held = heldStatus(payment, now_ms)
  if (step === 'chargeback') return held === 'succeeded' ? 'returned' : null
  if (!isUnanswered(payment.token) || payment.told) return null
  if (step === 'settle') return held === 'processing' || held === 'succeeded' ? 'succeeded' : null
  return step === 'fail' && (held === 'processing' || held === 'failed') ? 'failed' : null
}

/** What follows a step that was taken early follows just as long after it. */
function earlier({ coming: [taken, ...rest] }: ModelPayment, now_ms: number): ModelPayment['coming'] {
  const early_ms = (taken?.at_ms ?? now_ms) - now_ms
  return rest.map(({ at_ms, status }) => ({ at_ms: at_ms - early_ms, status }))
}
