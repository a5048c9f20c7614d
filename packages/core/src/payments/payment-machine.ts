import { fail } from '../errors/domain-error.ts'
import type { EventType } from '../events/event.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import { day_ms, hour_ms, later, minute_ms, second_ms, shifted } from '../schema/timestamps.ts'
import type { PaymentFailure, PaymentRow, PaymentStatus } from './payment.ts'

export type PaymentTrigger =
  | { on: 'approved' | 'accepted' | 'unanswered' | 'settled' | 'voided' }
  | { on: 'refused' | 'unreachable' | 'returned'; failure: PaymentFailure }

/** The specification's table (States and transitions: Payment). `failed`, `canceled` and `returned` are final. */
export const paymentTransitions = [
  { from: null, on: 'approved', to: 'succeeded', emits: 'payment.succeeded' },
  { from: null, on: 'accepted', to: 'processing', emits: 'payment.processing' },
  { from: null, on: 'unanswered', to: 'processing', emits: 'payment.processing' },
  { from: null, on: 'refused', to: 'failed', emits: 'payment.failed' },
  { from: null, on: 'unreachable', to: 'failed', emits: 'payment.failed' },
  { from: 'processing', on: 'approved', to: 'succeeded', emits: 'payment.succeeded' },
  { from: 'processing', on: 'settled', to: 'succeeded', emits: 'payment.succeeded' },
  { from: 'processing', on: 'refused', to: 'failed', emits: 'payment.failed' },
  { from: 'processing', on: 'unreachable', to: 'failed', emits: 'payment.failed' },
  { from: 'processing', on: 'returned', to: 'returned', emits: 'payment.returned' },
  { from: 'processing', on: 'voided', to: 'canceled', emits: 'payment.canceled' },
  { from: 'succeeded', on: 'returned', to: 'returned', emits: 'payment.returned' },
] as const satisfies readonly Transition<PaymentStatus, PaymentTrigger['on'], EventType>[]

const stamps = {
  succeeded: 'succeeded_at',
  failed: 'failed_at',
  canceled: 'canceled_at',
  returned: 'returned_at',
} as const

/** The payment after a trigger and the event that announces it; `conflict` where the table has no such row. */
export function decidePayment(payment: PaymentRow, trigger: PaymentTrigger, now: string) {
  const transition = transitionFor(paymentTransitions, payment.status, trigger.on)
  if (!transition) return fail('conflict')
  const at = later(now, payment.changed_at)
  const next: PaymentRow = {
    ...payment,
    status: transition.to,
    listed: true,
    changed_at: at,
    due_at: transition.to === 'processing' ? nextLookupAt(payment.lookups, at) : null,
    failure: 'failure' in trigger ? trigger.failure : payment.failure,
  }
  if (transition.to !== 'processing') next[stamps[transition.to]] = at
  return ok({ next, emits: transition.emits })
}

/**
 * When the processor is asked next about a charge or refund that stayed open: after 60 s, then 5 times every
 * 5 min, then hourly for a day, then daily.
 */
export function nextLookupAt(lookups: number, from: string): string {
  if (lookups === 0) return shifted(from, 60 * second_ms)
  if (lookups <= 5) return shifted(from, 5 * minute_ms)
  if (lookups <= 5 + 24) return shifted(from, hour_ms)
  return shifted(from, day_ms)
}
