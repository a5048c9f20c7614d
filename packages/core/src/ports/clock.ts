// Not the global: in a host's tests that may be a fake.
import { clearInterval, setInterval } from 'node:timers'

/**
 * Time. Two times, because a sandbox clock can be moved: `now` is what the engine lives by (expiries,
 * schedules, timestamps), `real` is what the outside world sees (a signature's `t`, leases between processes).
 * Both in milliseconds since the epoch. Neither is promised to be monotonic.
 */
export interface Clock {
  now(): number
  real(): number
  /** Calls `wake` once, `delay_ms` of real time from now, unless canceled by the returned function. */
  after(delay_ms: number, wake: () => void): () => void
  /**
   * Optional, for a clock whose timers do not keep the process alive: keeps it alive until the returned function is called. The
   * engine calls it where it waits for a limit or a retry, and for nothing else.
   */
  keepAlive?(): () => void
}

/** The machine's time, for both. */
export const systemClock: Clock = {
  now: () => Date.now(),
  real: () => Date.now(),
  after(delay_ms, wake) {
    // setTimeout fires at once past 2^31 - 1 ms, and a waiting timer must not keep the host's process alive.
    const timer = setTimeout(wake, Math.min(delay_ms, 2_147_483_647))
    timer.unref()
    return () => clearTimeout(timer)
  },
  keepAlive() {
    const alive = setInterval(() => {}, 60_000)
    return () => clearInterval(alive)
  },
}
