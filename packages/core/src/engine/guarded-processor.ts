import { spoken } from '../kernel/in-words.ts'
import { isError } from '../kernel/is-error.ts'
import { withLimit } from '../kernel/with-limit.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Processor } from '../ports/processor.ts'
import { isSandboxProcessor } from '../ports/sandbox.ts'
import { second_ms } from '../schema/timestamps.ts'
import { answers } from './processor-answers.ts'

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
  const known = async <Answer, Read>(asked: () => PromiseLike<Answer>, read: (answer: Answer) => Read) =>
    read(await withLimit(clock, answer_timeout_ms, async (inTime) => inTime(asked())))
  const ask = async <Answer>(
    of: { call: string; key?: string },
    asked: Promise<Answer>,
    otherwise: Answer,
  ): Promise<Answer> => {
    try {
      return await asked
    } catch (fault) {
      const words = spoken(() => withCause(fault))
      logger.warn('the processor did not answer', { ...of, livemode, fault: words })
      return otherwise
    }
  }
  return {
    ...(isSandboxProcessor(processor) ? { control: processor.control } : {}),
    types: processor.types,
    verify: (request) =>
      known(
        () => processor.verify(request),
        (answer) => answers.verification(answer, request.type),
      ),
    charge(request) {
      const answer = known(() => processor.charge(request), answers.charge)
      return ask({ call: 'charge', key: request.key }, answer, { kind: 'unanswered' })
    },
    refund(request) {
      const answer = known(() => processor.refund(request), answers.refund)
      return ask({ call: 'refund', key: request.key }, answer, { kind: 'unanswered' })
    },
    void: (request) => known(() => processor.void(request), answers.void),
    lookup(request) {
      const answer = known(() => processor.lookup(request), answers.lookup)
      return ask({ call: 'lookup', key: request.key }, answer, { kind: 'unknown' })
    },
    async notifications(request) {
      const page = known(() => processor.notifications(request), answers.notifications)
      const none = { notifications: [], cursor: request.after, dropped: 0 }
      const { dropped, ...told } = await ask({ call: 'notifications' }, page, none)
      if (dropped > 0)
        logger.warn('notifications under unknown keys were dropped', { livemode, count: dropped })
      return told
    },
    nextNotificationAt() {
      const at = known(() => processor.nextNotificationAt(), answers.time)
      return ask({ call: 'nextNotificationAt' }, at, null)
    },
  }
}

/** With its cause, because `fetch` itself says only that it failed. */
function withCause(fault: unknown): string {
  // All addresses of a name have failed.
  if (fault instanceof AggregateError) return fault.errors.map(withCause).join(', ')
  if (typeof fault === 'string') return fault
  if (!isError(fault)) return 'unknown'
  return isError(fault.cause) ? `${fault.message}: ${withCause(fault.cause)}` : fault.message
}
