import { z } from 'zod'

/**
 * What the last move of a payment or refund rests on: never a timer alone. `no_answer`: it was requested, and nobody knows
 * whether the processor has it.
 */
export const evidence = z.enum(['answer', 'no_answer', 'lookup', 'notification', 'never_sent', 'not_found'])
export type Evidence = z.output<typeof evidence>

/** Whether the processor has said that it has this charge or refund: then it cannot be one that it never got. */
export function isAcknowledged({ evidence }: { evidence: Evidence | null }): boolean {
  return evidence === 'answer' || evidence === 'lookup' || evidence === 'notification'
}

/** Which evidence a processor's own answer to a charge or refund is. */
export function evidenceOf({ kind }: { kind: string }): Evidence {
  if (kind === 'unreachable') return 'never_sent'
  return kind === 'unanswered' ? 'no_answer' : 'answer'
}
