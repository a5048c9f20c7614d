import { fail } from '../errors/domain-error.ts'
import type { EventType } from '../events/event.ts'
import type { Contradictions } from '../kernel/contradiction.ts'
import { nextLookupAt } from '../kernel/lookup-schedule.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import type { ChargeAnswer, ChargeState } from '../ports/processor.ts'
import { isAcknowledged } from '../schema/evidence.ts'
import { later } from '../schema/timestamps.ts'
import type { PaymentFailure, PaymentRow, PaymentStatus } from './payment.ts'

export type PaymentTrigger =
  | { on: 'approved' | 'accepted' | 'unanswered' | 'settled' | 'voided' }
  | { on: 'refused' | 'unreachable' | 'returned'; failure: PaymentFailure }

/**
 * The specification's table (States and transitions: Payment). Its "processor confirms" is `approved` for a card and
 * `settled` for a debit, its "refused or never reached the processor" is `refused` and `unreachable`. `failed`, `canceled`
 * and `returned` are final.
 */
export const paymentTransitions = [
  { from: null, on: 'approved', to: 'succeeded', emits: 'payment.succeeded' },
  { from: null, on: 'accepted', to: 'processing', emits: 'payment.processing' },
  { from: null, on: 'unanswered', to: 'processing', emits: 'payment.processing' },
  { from: null, on: 'refused', to: 'failed', emits: 'payment.failed' },
  { from: null, on: 'unreachable', to: 'failed', emits: 'payment.failed' },
  { from: 'processing', on: 'approved', to: 'succeeded', emits: 'payment.succeeded' },
  { from: 'processing', on: 'settled', to: 'succeeded', emits: 'payment.succeeded' },
  { from: 'processing', on: 'refused', to: 'failed', emits: 'payment.failed' },
  { from: 'processing', on: 'returned', to: 'returned', emits: 'payment.returned' },
  { from: 'succeeded', on: 'returned', to: 'returned', emits: 'payment.returned' },
  { from: 'processing', on: 'voided', to: 'canceled', emits: 'payment.canceled' },
  // Beyond the table: a look-up finds that a charge was never sent, or that a debit is with the bank, which completes its page.
  { from: 'processing', on: 'unreachable', to: 'failed', emits: 'payment.failed' },
  { from: 'processing', on: 'accepted', to: 'processing' },
] as const satisfies readonly Transition<PaymentStatus, PaymentTrigger['on'], EventType>[]

export const paymentContradictions: Contradictions<PaymentStatus, PaymentTrigger['on']> = {
  // Once the processor has said that it has the charge: see `decidePayment`.
  processing: ['unreachable'],
  succeeded: ['refused', 'voided', 'unreachable'],
  failed: ['approved', 'settled'],
  canceled: ['approved', 'settled'],
}

const stamps = {
  succeeded: 'succeeded_at',
  failed: 'failed_at',
  canceled: 'canceled_at',
  returned: 'returned_at',
} as const

/**
 * The payment after a trigger; for an API payment, also the event that announces it. `conflict` if the table has no such
 * row, and for a charge that cannot be found any more after the processor had it.
 */
export function decidePayment(payment: PaymentRow, trigger: PaymentTrigger, now: string) {
  const transition = transitionFor(paymentTransitions, payment.status, trigger.on)
  if (!transition || (trigger.on === 'unreachable' && isAcknowledged(payment))) return fail('conflict')
  const at = later(now, payment.changed_at)
  const of_api = payment.source === 'api'
  const next: PaymentRow = {
    ...payment,
    status: transition.to,
    listed: of_api,
    changed_at: at,
    due_at: nextDue(payment, transition.to, at),
    failure: 'failure' in trigger ? trigger.failure : payment.failure,
  }
  if (transition.to !== 'processing') next[stamps[transition.to]] = at
  return ok({ next, emits: of_api && 'emits' in transition ? transition.emits : null })
}

/** When to look a `processing` payment up. A step that leaves it `processing` does not postpone that. */
function nextDue(payment: PaymentRow, status: PaymentStatus, at: string): string | null {
  if (status !== 'processing') return null
  return payment.status === null ? nextLookupAt(payment.lookups, at) : payment.due_at
}

/**
 * What the processor's answer to a charge, or its later account of it, triggers, step by step, adding the steps we missed: an
 * intent first reaches the status that its create would have returned.
 */
export function triggersOf(
  payment: PaymentRow,
  told: ChargeAnswer | ChargeState,
): [PaymentTrigger, ...PaymentTrigger[]] {
  const trigger = triggerOf(told)
  const card = payment.payment_method_type === 'card'
  const taken: PaymentTrigger = { on: card ? 'approved' : 'accepted' }
  switch (trigger.on) {
    case 'approved':
    case 'settled':
      if (payment.status !== null) return [trigger]
      return card ? [taken] : [taken, trigger]
    case 'voided':
      return payment.status === null ? [{ on: 'accepted' }, trigger] : [trigger]
    case 'returned':
      return payment.status === 'succeeded' ? [trigger] : [taken, trigger]
    default:
      return [trigger]
  }
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
