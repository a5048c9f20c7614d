import type { Clock } from '../ports/clock.ts'
import { keepingAlive } from './keeping-alive.ts'

/** Settles as the promise it is given; rejects if the limit is over before. */
type InTime = <Answer>(asked: PromiseLike<Answer>) => Promise<Answer>

/** Runs `use` under one limit, by this clock, for all that it awaits through `inTime`. Keeps the process alive until then. */
export async function withLimit<Value>(
  clock: Clock,
  limit_ms: number,
  use: (inTime: InTime) => Promise<Value>,
): Promise<Value> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(limit_ms, () => reject(new DOMException('timeout', 'TimeoutError')))
  // The limit may pass between two calls, when nothing awaits it.
  over.catch(() => {})
  try {
    return await keepingAlive(clock, () => use((asked) => Promise.race([over, asked])))
  } finally {
    cancel()
  }
}
