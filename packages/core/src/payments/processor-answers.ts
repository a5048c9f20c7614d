import type { ChargeAnswer, ChargeState } from '../ports/processor.ts'
import type { PaymentFailure, PaymentRow } from './payment.ts'
import type { PaymentTrigger } from './payment-machine.ts'

/** What the processor's answer to a charge triggers. */
export function triggerOf(answer: ChargeAnswer): PaymentTrigger {
  switch (answer.kind) {
    case 'declined':
      return { on: 'refused', failure: declined(answer) }
    case 'unreachable':
      return { on: 'unreachable', failure: neverSent }
    default:
      return { on: answer.kind }
  }
}

/**
 * What the processor's account of a charge triggers, step by step. What came back was taken first, and a payment that
 * is only an intent is first observed in the status its create would have answered.
 */
export function triggersOf(payment: PaymentRow, state: ChargeState): PaymentTrigger[] {
  const trigger = stateTrigger(state)
  const came_back = trigger.on === 'returned' && payment.status !== 'succeeded'
  if (payment.payment_method_type === 'card') return came_back ? [{ on: 'approved' }, trigger] : [trigger]
  const unseen = payment.status === null && (trigger.on === 'settled' || trigger.on === 'voided')
  return came_back || unseen ? [{ on: 'accepted' }, trigger] : [trigger]
}

function stateTrigger(state: ChargeState): PaymentTrigger {
  switch (state.kind) {
    case 'declined':
      return { on: 'refused', failure: declined(state) }
    case 'returned':
      return {
        on: 'returned',
        failure: {
          code: state.return_code === 'chargeback' ? 'chargeback' : 'bank_return',
          message: state.message,
          decline_code: null,
          return_code: state.return_code,
        },
      }
    default:
      return { on: state.kind }
  }
}

export const neverSent: PaymentFailure = {
  code: 'processor_unreachable',
  message: 'The charge never reached the processor.',
  decline_code: 'processing_error',
  return_code: null,
}

function declined(refusal: { decline_code: string; message: string }): PaymentFailure {
  return {
    code: 'declined',
    message: refusal.message,
    decline_code: refusal.decline_code,
    return_code: null,
  }
}
