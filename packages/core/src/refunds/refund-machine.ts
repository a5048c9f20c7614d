import { fail } from '../errors/domain-error.ts'
import type { EventType } from '../events/event.ts'
import type { Contradictions } from '../kernel/contradiction.ts'
import { nextLookupAt } from '../kernel/lookup-schedule.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import type { RefundAnswer, RefundState } from '../ports/processor.ts'
import { isAcknowledged } from '../schema/evidence.ts'
import { later } from '../schema/timestamps.ts'
import type { RefundFailure, RefundRow, RefundStatus } from './refund.ts'

export type RefundTrigger =
  | { on: 'confirmed' | 'accepted' | 'unanswered' }
  | { on: 'refused' | 'unreachable'; failure: RefundFailure }

/** The specification's table (States and transitions: Refund). `succeeded` and `failed` are final. */
export const refundTransitions = [
  { from: null, on: 'confirmed', to: 'succeeded', emits: 'refund.succeeded' },
  { from: null, on: 'accepted', to: 'pending', emits: 'refund.pending' },
  { from: 'pending', on: 'confirmed', to: 'succeeded', emits: 'refund.succeeded' },
  { from: 'pending', on: 'refused', to: 'failed', emits: 'refund.failed' },
  // Beyond the table: a create unanswered, refused or never sent; a pending refund that a look-up finds never sent.
  { from: null, on: 'unanswered', to: 'pending', emits: 'refund.pending' },
  { from: null, on: 'refused', to: 'failed', emits: 'refund.failed' },
  { from: null, on: 'unreachable', to: 'failed', emits: 'refund.failed' },
  { from: 'pending', on: 'unreachable', to: 'failed', emits: 'refund.failed' },
] as const satisfies readonly Transition<RefundStatus, RefundTrigger['on'], EventType>[]

export const refundContradictions: Contradictions<RefundStatus, RefundTrigger['on']> = {
  // Once the processor has said that it has the refund: see `decideRefund`.
  pending: ['unreachable'],
  succeeded: ['refused', 'unreachable'],
  failed: ['confirmed'],
}

/**
 * The refund after a trigger, and the event that announces it. `conflict` if the table has no such row, and for a refund
 * that cannot be found any more after the processor had it.
 */
export function decideRefund(refund: RefundRow, trigger: RefundTrigger, now: string) {
  const transition = transitionFor(refundTransitions, refund.status, trigger.on)
  if (!transition || (trigger.on === 'unreachable' && isAcknowledged(refund))) return fail('conflict')
  const at = later(now, refund.changed_at)
  const pending = transition.to === 'pending'
  const next: RefundRow = {
    ...refund,
    status: transition.to,
    listed: true,
    changed_at: at,
    due_at: pending ? nextLookupAt(refund.lookups, at) : null,
    pending_of: pending ? refund.payment : null,
    failure: 'failure' in trigger ? trigger.failure : null,
    succeeded_at: transition.to === 'succeeded' ? at : null,
    failed_at: transition.to === 'failed' ? at : null,
  }
  return ok({ next, emits: transition.emits })
}

/** What the processor's answer to a refund, or its later account of it, triggers. */
export function triggerOf(answer: RefundAnswer | RefundState): RefundTrigger {
  switch (answer.kind) {
    case 'succeeded':
      return { on: 'confirmed' }
    case 'pending':
      return { on: 'accepted' }
    case 'unanswered':
      return { on: 'unanswered' }
    case 'unreachable':
      return { on: 'unreachable', failure: neverSent }
    case 'refused':
      return { on: 'refused', failure: { code: answer.failure_code, message: answer.message } }
  }
  throw new Error('The processor tells of a refund in a state that the port does not know.')
}

export const neverSent: RefundFailure = {
  code: 'processor_unreachable',
  message: 'The refund never reached the processor.',
}
