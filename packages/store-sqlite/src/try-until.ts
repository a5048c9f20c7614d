// Not the global: in a host's tests that may be a fake, which never calls back.
import { setTimeout } from 'node:timers'

/** How long to wait for another connection's write before that is a fault. */
export const patience_ms = 10_000

/** Calls `done` until it is true, after pauses that double each time, up to 25 ms. False if it was not within `limit_ms`. */
export async function tryUntil(done: () => boolean | Promise<boolean>, limit_ms: number): Promise<boolean> {
  const started_ms = performance.now()
  for (let attempt = 0; !(await done()); attempt += 1) {
    if (performance.now() - started_ms > limit_ms) return false
    await new Promise<void>((resolve) => setTimeout(resolve, Math.min(2 ** attempt, 25)))
  }
  return true
}
