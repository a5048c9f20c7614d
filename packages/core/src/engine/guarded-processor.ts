import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Processor } from '../ports/processor.ts'
import { isSandboxProcessor } from '../ports/sandbox.ts'
import { second_ms } from '../schema/timestamps.ts'

/** Shorter than the 30 s lease of an Idempotency-Key: a request that takes the key over must not overlap this call. */
const answer_timeout_ms = 20 * second_ms

/**
 * The host's processor as the engine uses it: a charge, refund or look-up that throws or takes too long means
 * "nobody knows", so that no fault can be read as a refusal.
 */
export function guardProcessor(
  processor: Processor,
  { clock, logger }: { clock: Clock; logger: Logger },
): Processor {
  const ask = async <Answer>(
    call: string,
    asked: () => PromiseLike<Answer>,
    otherwise: Answer,
  ): Promise<Answer> => {
    try {
      return await withTimeout(clock, asked)
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
    charge: (request) => ask('charge', () => processor.charge(request), { kind: 'unanswered' }),
    refund: (request) => ask('refund', () => processor.refund(request), { kind: 'unanswered' }),
    void: (request) => withTimeout(clock, () => processor.void(request)),
    lookup: (request) => ask('lookup', () => processor.lookup(request), { kind: 'unknown' }),
    notifications: (request) =>
      ask('notifications', () => processor.notifications(request), {
        notifications: [],
        cursor: request.after,
      }),
    nextNotificationAt: () => ask('nextNotificationAt', () => processor.nextNotificationAt(), null),
  }
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
