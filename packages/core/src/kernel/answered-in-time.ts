import type { Clock } from '../ports/clock.ts'

/**
 * What `ask` gives. Rejects with `late` once the limit is over, and ignores whatever comes then, rejections included. For
 * several answers under one limit there is `withLimit`, which also keeps the process alive.
 */
export async function answeredInTime<Answer>(
  clock: Clock,
  { limit_ms, late }: { limit_ms: number; late: string },
  ask: () => PromiseLike<Answer> | Answer,
): Promise<Answer> {
  const over = Promise.withResolvers<never>()
  const cancel = clock.after(limit_ms, () => over.reject(new Error(late)))
  try {
    return await Promise.race([ask(), over.promise])
  } finally {
    cancel()
  }
}
