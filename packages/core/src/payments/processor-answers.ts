import type { ChargeAnswer, ChargeState } from '../ports/processor.ts'
import type { PaymentFailure, PaymentRow } from './payment.ts'
import type { PaymentTrigger } from './payment-machine.ts'

/**
 * What the processor's answer to a charge, or its later account of it, triggers, step by step, adding the steps we
 * missed. A charge that came back had first been taken. An intent first reaches the status its create would have
 * answered: a settled card had been approved; an approved or settled debit, and anything voided, had been accepted.
 */
export function triggersOf(payment: PaymentRow, told: ChargeAnswer | ChargeState): PaymentTrigger[] {
  const trigger = triggerOf(told)
  const created: PaymentTrigger = { on: payment.payment_method_type === 'card' ? 'approved' : 'accepted' }
  if (trigger.on === 'returned') return payment.status === 'succeeded' ? [trigger] : [created, trigger]
  if (payment.status !== null) return [trigger]
  if (trigger.on === 'voided') return [{ on: 'accepted' }, trigger]
  if (trigger.on === 'settled' || trigger.on === 'approved')
    return created.on === 'approved' ? [created] : [created, trigger]
  return [trigger]
}

function triggerOf(told: ChargeAnswer | ChargeState): PaymentTrigger {
  switch (told.kind) {
    case 'declined':
      return {
        on: 'refused',
        failure: {
          code: 'declined',
          message: told.message,
          decline_code: told.decline_code,
          return_code: null,
        },
      }
    case 'unreachable':
      return { on: 'unreachable', failure: neverSent }
    case 'returned':
      return {
        on: 'returned',
        failure: {
          code: told.return_code === 'chargeback' ? 'chargeback' : 'bank_return',
          message: told.message,
          decline_code: null,
          return_code: told.return_code,
        },
      }
    case 'unanswered':
    case 'approved':
    case 'accepted':
    case 'settled':
    case 'voided':
      return { on: told.kind }
  }
  throw new Error('The processor tells of a charge in a state that the port does not know.')
}

export const neverSent: PaymentFailure = {
  code: 'processor_unreachable',
  message: 'The charge never reached the processor.',
  decline_code: 'processing_error',
  return_code: null,
}
