import type {
  ChargeAnswer,
  ChargeState,
  Lookup,
  NotificationPage,
  RefundAnswer,
  RefundState,
  Verification,
} from '@quittance/core'

type Kinds<Answer extends { kind: string }> = Readonly<Record<Answer['kind'], true>>

const verifications: Kinds<Verification> = { verified: true, refused: true, unknown_token: true }
const charge_answers: Kinds<ChargeAnswer> = {
  approved: true,
  accepted: true,
  declined: true,
  unanswered: true,
  unreachable: true,
}
const refund_answers: Kinds<RefundAnswer> = {
  succeeded: true,
  pending: true,
  refused: true,
  unanswered: true,
  unreachable: true,
}
const lookups: Kinds<Lookup> = { charge: true, refund: true, not_found: true, unknown: true }
const charge_states: Kinds<ChargeState> = {
  approved: true,
  accepted: true,
  settled: true,
  voided: true,
  declined: true,
  returned: true,
}
const refund_states: Kinds<RefundState> = { succeeded: true, pending: true, refused: true }
const states = { charge: charge_states, refund: refund_states }

/** What of an answer the port does not know, in words; null if it knows all of it. */
export const unknownIn = {
  verify: (answer: Verification) => unknownKind(answer, verifications),
  charge: (answer: ChargeAnswer) => unknownKind(answer, charge_answers),
  refund: (answer: RefundAnswer) => unknownKind(answer, refund_answers),
  void: (answer: string) => (answer === 'voided' || answer === 'too_late' ? null : told(answer)),
  lookup: (answer: Lookup) =>
    unknownKind(answer, lookups) ??
    ('state' in answer ? unknownKind(answer.state, states[answer.kind]) : null),
  notifications: (page: NotificationPage) =>
    Array.isArray(page?.notifications)
      ? (page.notifications.map(({ of, state }) => unknownKind(state, states[of])).find(Boolean) ?? null)
      : told(page),
}

function unknownKind(answer: { kind: string }, kinds: object | undefined): string | null {
  return kinds !== undefined && Object.hasOwn(kinds, answer?.kind) ? null : told(answer)
}

function told(answer: unknown): string {
  return JSON.stringify(answer) ?? String(answer)
}
