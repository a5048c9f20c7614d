import { z } from 'zod'
import { card, type PaymentMethodType, usBankAccount } from '../payment-methods/payment-method.ts'
import type {
  ChargeAnswer,
  ChargeState,
  Lookup,
  Notification,
  NotificationPage,
  RefundAnswer,
  RefundState,
  Verification,
} from '../ports/processor.ts'
import { isStorable } from '../schema/text.ts'
import { iso } from '../schema/timestamps.ts'

/**
 * Each reads an answer of a processor, and returns a new one with the fields of the port and no others: an adapter's own object
 * may be of a class, and a copy of it lacks what its getters give. Each throws for an answer that the port does not know.
 */
export const answers = {
  verification,
  charge: (answer: ChargeAnswer): ChargeAnswer => told(answer, charge_answers),
  refund: (answer: RefundAnswer): RefundAnswer => told(answer, refund_answers),
  void(answer: 'voided' | 'too_late'): 'voided' | 'too_late' {
    if (answer === 'voided' || answer === 'too_late') return answer
    throw unknown(answer)
  },
  lookup,
  notifications,
  time(at: string | null): string | null {
    if (at === null || iso(Date.parse(at)) === at) return at
    throw unknown(at)
  },
}

const charge_answers = ['approved', 'accepted', 'declined', 'unanswered', 'unreachable'] as const
const refund_answers = ['succeeded', 'pending', 'refused', 'unanswered', 'unreachable'] as const
const charge_states = ['approved', 'accepted', 'settled', 'voided', 'declined', 'returned'] as const
const refund_states = ['succeeded', 'pending', 'refused'] as const

function told<Told extends { kind: string }>(answer: Told, kinds: readonly Told['kind'][]): Told {
  const kind = kindOf(answer)
  const known = kinds.find((one) => one === kind)
  if (known === undefined) throw unknown(answer)
  // The texts are those that this kind has.
  return { kind: known, ...reasonsOf(known, answer) } as Told
}

/** Also of a function, as a class with static fields is one. */
function kindOf(answer: unknown): unknown {
  return Object(answer).kind
}

/** Without the answer's other fields, which may be secrets. */
function unknown(answer: unknown): Error {
  const kind = kindOf(answer) ?? answer
  const named =
    typeof kind === 'string'
      ? `"${kind.slice(0, 50)}"`
      : `no kind, but ${answer === null ? 'null' : typeof answer}`
  return new Error(`it answered ${named}, which the port does not know`)
}

const verifications = ['verified', 'refused', 'unknown_token'] as const

/** The fields of a card or account that are kept and shown, and no others: an adapter may pass on all that its service says. */
function verification(answer: Verification, asked: PaymentMethodType): Verification {
  if (kindOf(answer) !== 'verified') return told(answer, verifications)
  const { type, card, us_bank_account } = answer as { type: PaymentMethodType; [details: string]: unknown }
  if (type !== asked) throw new Error(`it verified something else than a ${asked}`)
  return type === 'card'
    ? { kind: 'verified', type, card: detailsIn(card, cardDetails, type) }
    : { kind: 'verified', type, us_bank_account: detailsIn(us_bank_account, accountDetails, type) }
}

// Bounds for input only: a row, and what is shown of it, stays as it was stored.
const last4 = z.string().max(4)
const cardDetails = card.extend({
  last4,
  exp_month: z.int().min(1).max(12),
  exp_year: z.int().min(1000).max(9999),
})
const accountDetails = usBankAccount.extend({ last4 })

/** The fault names the fields that are wrong, and no value: it may be a card or account number. */
function detailsIn<Details>(given: unknown, schema: z.ZodType<Details>, name: string): Details {
  const read = schema.safeParse(given)
  if (read.success) return read.data
  const wrong = read.error.issues.map(({ path }) => [name, ...path].join('.'))
  throw new Error(`it verified with a wrong ${wrong.join(', ')}`)
}

function lookup(answer: Lookup): Lookup {
  const kind = kindOf(answer)
  if (kind === 'not_found' || kind === 'unknown') return { kind }
  const { state } = answer as { state?: unknown }
  if (kind === 'charge') return { kind, state: told(state as ChargeState, charge_states) }
  if (kind === 'refund') return { kind, state: told(state as RefundState, refund_states) }
  throw unknown(answer)
}

/** `dropped`: a charge that was made by hand has no key, and is not ours. */
function notifications(page: NotificationPage): NotificationPage & { dropped: number } {
  const { notifications: given, cursor } = page
  if (!Array.isArray(given)) throw unknown(page)
  // With another one every pass would fail, from the store on.
  if (cursor !== null && !(typeof cursor === 'string' && isStorable(cursor)))
    throw new Error('it gave a cursor that is no storable text')
  const ours = given.map(notification).filter((one) => one !== null)
  return { notifications: ours, cursor, dropped: given.length - ours.length }
}

function notification(one: Notification): Notification | null {
  const { id, of, key, state }: Partial<Notification> = Object(one)
  if (typeof key !== 'string' || (of !== 'charge' && of !== 'refund')) return null
  // In an unknown state it is held once it cannot be applied. So all of it has to be something that can be stored.
  return { id: inText(id), of, key, state: stated(state) } as Notification
}

function stated(state: unknown): { kind: string } {
  const kind = kindOf(state)
  const text = inText(kind)
  // Not by what is left of it: that could be a state that was not told.
  return text === kind ? { kind: text, ...reasonsOf(text, state) } : { kind: '' }
}

const no_reason = { message: 'The processor gave no reason.' }
const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  declined: { decline_code: 'unknown', ...no_reason },
  returned: { return_code: 'unknown', ...no_reason },
  refused: { failure_code: 'unknown', ...no_reason },
}

/** A longer text is not a reason, and would be stored, shown and sent to every receiver. */
const max_reason_length = 500

/** The processor's reasons as texts, whatever an adapter has made of them: an outcome stands without them. */
function reasonsOf(kind: string, answer: unknown): Record<string, string> {
  const given: Record<string, unknown> = Object(answer)
  const otherwise = Object.entries((Object.hasOwn(reasons, kind) && reasons[kind]) || {})
  return Object.fromEntries(otherwise.map(([name, text]) => [name, inText(given[name]) || text]))
}

/** Some services have numbers as codes. */
function inText(reason: unknown): string {
  if (typeof reason !== 'string' && typeof reason !== 'number') return ''
  return String(reason).replaceAll('\0', '').slice(0, max_reason_length).toWellFormed()
}
