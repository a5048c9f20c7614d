import { z } from 'zod'
import { withLimit } from '../kernel/with-limit.ts'
import { card, type PaymentMethodType, usBankAccount } from '../payment-methods/payment-method.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Lookup, Notification, NotificationPage, Processor, Verification } from '../ports/processor.ts'
import { isSandboxProcessor } from '../ports/sandbox.ts'
import { iso, second_ms } from '../schema/timestamps.ts'

/** Shorter than the 30 s lease of an Idempotency-Key: a request that takes the key over must not overlap this call. */
const answer_timeout_ms = 20 * second_ms

/**
 * The host's processor as the engine uses it, so that no fault can be read as an outcome. A charge, refund or look-up that
 * throws, takes too long or answers what the port does not know means "nobody knows". A verification or a void throws.
 */
export function guardProcessor(
  processor: Processor,
  { clock, logger, livemode }: { clock: Clock; logger: Logger; livemode: boolean },
): Processor {
  const known = async <Answer>(asked: () => PromiseLike<Answer>, isKnown: (answer: Answer) => boolean) => {
    const answer = await withLimit(clock, answer_timeout_ms, async (inTime) => inTime(asked()))
    if (!isKnown(answer)) throw new Error(`it answered ${named(answer)}, which the port does not know`)
    return answer
  }
  const ask = async <Answer>(
    of: { call: string; key?: string },
    asked: Promise<Answer>,
    otherwise: Answer,
  ): Promise<Answer> => {
    try {
      return await asked
    } catch (fault) {
      logger.warn('the processor did not answer', { ...of, livemode, fault: inWords(fault) })
      return otherwise
    }
  }
  return {
    ...(isSandboxProcessor(processor) ? { control: processor.control } : {}),
    types: processor.types,
    async verify(request) {
      const answer = await known(() => processor.verify(request), isVerification)
      return answer.kind === 'verified' ? shown(answer, request.type) : inTexts(answer)
    },
    async charge(request) {
      const answer = known(() => processor.charge(request), isChargeAnswer)
      return inTexts(await ask({ call: 'charge', key: request.key }, answer, { kind: 'unanswered' }))
    },
    async refund(request) {
      const answer = known(() => processor.refund(request), isRefundAnswer)
      return inTexts(await ask({ call: 'refund', key: request.key }, answer, { kind: 'unanswered' }))
    },
    void: (request) => known(() => processor.void(request), isVoidAnswer),
    async lookup(request) {
      const asked = known(() => processor.lookup(request), isLookup)
      const answer = await ask({ call: 'lookup', key: request.key }, asked, { kind: 'unknown' })
      return 'state' in answer ? stated(answer) : answer
    },
    async notifications(request) {
      const page = known(() => processor.notifications(request), isNotificationPage)
      const none = { notifications: [], cursor: request.after }
      const { notifications, cursor } = await ask({ call: 'notifications' }, page, none)
      const usable = notifications.filter(isNotification).map(stated)
      const dropped = notifications.length - usable.length
      if (dropped > 0)
        logger.warn('notifications under unknown keys were dropped', { livemode, count: dropped })
      return { notifications: usable, cursor }
    },
    nextNotificationAt() {
      const at = known(() => processor.nextNotificationAt(), isTime)
      return ask({ call: 'nextNotificationAt' }, at, null)
    },
  }
}

/** Without the answer's other fields, which may be secrets. */
function named(answer: unknown): string {
  const kind = typeof answer === 'object' && answer !== null && 'kind' in answer ? answer.kind : answer
  return typeof kind === 'string'
    ? `"${kind.slice(0, 50)}"`
    : `no kind, but ${answer === null ? 'null' : typeof answer}`
}

/** With its cause, because `fetch` itself says only that it failed. */
function inWords(fault: unknown): string {
  // All addresses of a name have failed.
  if (fault instanceof AggregateError) return fault.errors.map(inWords).join(', ')
  if (typeof fault === 'string') return fault
  if (!(fault instanceof Error)) return 'unknown'
  return fault.cause instanceof Error ? `${fault.message}: ${inWords(fault.cause)}` : fault.message
}

const isVerification = ofKind('verified', 'refused', 'unknown_token')

/** The fields of a card or account that are kept and shown, and no others: an adapter may pass on all that its service says. */
function shown(answer: Extract<Verification, { kind: 'verified' }>, type: PaymentMethodType): Verification {
  if (answer.type !== type) throw new Error(`it verified something else than a ${type}`)
  return answer.type === 'card'
    ? { kind: 'verified', type: 'card', card: detailsIn(answer.card, cardDetails, 'card') }
    : {
        kind: 'verified',
        type: 'us_bank_account',
        us_bank_account: detailsIn(answer.us_bank_account, accountDetails, 'us_bank_account'),
      }
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

const no_reason = { message: 'The processor gave no reason.' }
const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  declined: { decline_code: 'unknown', ...no_reason },
  returned: { return_code: 'unknown', ...no_reason },
  refused: { failure_code: 'unknown', ...no_reason },
}

/** A longer text is not a reason, and would be stored, shown and sent to every receiver. */
const max_reason_length = 500

/** The processor's reasons as texts, whatever an adapter has made of them: an outcome stands without them. */
function inTexts<Told extends { kind: string }>(told: Told): Told {
  const otherwise = reasons[told?.kind]
  if (otherwise === undefined) return told
  const given: Partial<Record<string, unknown>> = told
  const texts = Object.entries(otherwise).map(([name, text]) => [name, inText(given[name]) || text])
  return { ...told, ...Object.fromEntries(texts) }
}

const stated = <Told extends { state: { kind: string } }>(told: Told): Told => ({
  ...told,
  state: inTexts(told.state),
})

/** Some services have numbers as codes. */
function inText(reason: unknown): string {
  if (typeof reason !== 'string' && typeof reason !== 'number') return ''
  return String(reason).replaceAll('\0', '').slice(0, max_reason_length).toWellFormed()
}

function isTime(at: string | null): boolean {
  return at === null || iso(Date.parse(at)) === at
}

function isVoidAnswer(answer: string): boolean {
  return answer === 'voided' || answer === 'too_late'
}

function isLookup(answer: Lookup): boolean {
  switch (answer.kind) {
    case 'charge':
      return isChargeState(answer.state)
    case 'refund':
      return isRefundState(answer.state)
    default:
      return answer.kind === 'not_found' || answer.kind === 'unknown'
  }
}

const isChargeAnswer = ofKind('approved', 'accepted', 'declined', 'unanswered', 'unreachable')
const isRefundAnswer = ofKind('succeeded', 'pending', 'refused', 'unanswered', 'unreachable')
const isChargeState = ofKind('approved', 'accepted', 'settled', 'voided', 'declined', 'returned')
const isRefundState = ofKind('succeeded', 'pending', 'refused')

function isNotificationPage({ notifications, cursor }: NotificationPage): boolean {
  return Array.isArray(notifications) && (cursor === null || typeof cursor === 'string')
}

/** A charge made by hand has no key, and is not ours. A notification in an unknown state is held once it cannot be applied. */
function isNotification(one: Notification): boolean {
  return typeof one?.key === 'string' && (one.of === 'charge' || one.of === 'refund')
}

function ofKind<Kind extends string>(...kinds: Kind[]) {
  return (answer: { kind: Kind }) => kinds.includes(answer?.kind)
}
