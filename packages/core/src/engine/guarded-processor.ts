import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Processor } from '../ports/processor.ts'
import { isSandboxProcessor } from '../ports/sandbox.ts'
import { second_ms } from '../schema/timestamps.ts'

/** Shorter than the 30 s lease of an Idempotency-Key: a request that takes the key over must not overlap this call. */
const answer_timeout_ms = 20 * second_ms

/**
 * The host's processor as the engine uses it: a charge, refund or look-up that throws, takes too long or answers what
 * the port does not know means "nobody knows", so that no fault can be read as an outcome.
 */
export function guardProcessor(
  processor: Processor,
  { clock, logger }: { clock: Clock; logger: Logger },
): Processor {
  const ask = async <Answer>(
    call: string,
    asked: () => PromiseLike<Answer>,
    { isKnown, otherwise }: { isKnown: (answer: Answer) => boolean; otherwise: Answer },
  ): Promise<Answer> => {
    try {
      const answer = await withTimeout(clock, asked)
      if (!isKnown(answer)) throw new Error('an answer that the port does not know')
      return answer
    } catch (fault) {
      logger.warn('the processor did not answer', {
        call,
        fault: fault instanceof Error ? fault.message : 'unknown',
      })
      return otherwise
    }
  }
  return {
    ...(isSandboxProcessor(processor) ? { control: processor.control } : {}),
    types: processor.types,
    verify: (request) => withTimeout(clock, () => processor.verify(request)),
    charge: (request) =>
      ask('charge', () => processor.charge(request), {
        isKnown: ofKind('approved', 'accepted', 'declined', 'unanswered', 'unreachable'),
        otherwise: { kind: 'unanswered' },
      }),
    refund: (request) =>
      ask('refund', () => processor.refund(request), {
        isKnown: ofKind('succeeded', 'pending', 'refused', 'unanswered', 'unreachable'),
        otherwise: { kind: 'unanswered' },
      }),
    void: (request) => withTimeout(clock, () => processor.void(request)),
    lookup: (request) =>
      ask('lookup', () => processor.lookup(request), {
        isKnown: ofKind('charge', 'refund', 'not_found', 'unknown'),
        otherwise: { kind: 'unknown' },
      }),
    notifications: (request) =>
      ask('notifications', () => processor.notifications(request), {
        isKnown: (page) => page.notifications.every(({ key }) => typeof key === 'string'),
        otherwise: { notifications: [], cursor: request.after },
      }),
    nextNotificationAt: () =>
      ask('nextNotificationAt', () => processor.nextNotificationAt(), {
        isKnown: () => true,
        otherwise: null,
      }),
  }
}

function ofKind<Kind extends string>(...kinds: Kind[]) {
  return (answer: { kind: Kind }) => kinds.includes(answer.kind)
}

async function withTimeout<Answer>(clock: Clock, asked: () => PromiseLike<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(answer_timeout_ms, () => reject(new Error('timeout')))
  try {
    return await Promise.race([asked(), promise])
  } finally {
    cancel()
  }
}
