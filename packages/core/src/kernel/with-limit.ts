import type { Clock } from '../ports/clock.ts'

/** Resolves as what it is given does; rejects once the limit is over. */
export type InTime = <Answer>(asked: PromiseLike<Answer>) => Promise<Answer>

/** Gives `use` so much time of the clock for all that it asks for. */
export async function withLimit<Value>(
  clock: Clock,
  limit_ms: number,
  use: (inTime: InTime) => Promise<Value>,
): Promise<Value> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(limit_ms, () => reject(new DOMException('timeout', 'TimeoutError')))
  // It may be over between two calls.
  over.catch(() => {})
  try {
    return await use((asked) => Promise.race([over, asked]))
  } finally {
    cancel()
  }
}
