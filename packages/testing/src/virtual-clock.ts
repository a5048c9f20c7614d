import type { Clock } from '@quittance/core'

/** Time that moves only when a test says so. */
export interface VirtualClock extends Clock {
  /**
   * Lets time pass: both clocks move, and timers fire in order, each at its own time. It does not wait for what they begin:
   * a timer that is set after an `await`, like that of a dispatcher's next attempt, counts from the end of the advance. If
   * such work falls due on the way, advance in steps, and await it (`dispatcher.drain()`) between them.
   */
  advance(delta_ms: number): void
  /** Sets the engine's clock forward or back. No time passes: no timer fires, and real time stays. */
  jump(delta_ms: number): void
  /** Sets the real clock forward or back against the engine's. No timer fires. */
  skew(delta_ms: number): void
  /** How many timers are waiting. */
  pending(): number
}

interface Timer {
  due_ms: number
  wake: () => void
}

/** The default start is a Saturday at noon. */
export function virtualClock(start: string | number = '2026-01-31T12:00:00.000Z'): VirtualClock {
  const start_ms = typeof start === 'number' ? start : Date.parse(start)
  if (Number.isNaN(start_ms)) throw new RangeError(`start is no ISO 8601 time: ${start}`)
  const timers = new Set<Timer>()
  // Timers count the time that has passed, which setting a clock does not change.
  let passed_ms = 0
  let engine_offset_ms = 0
  let real_offset_ms = 0
  return {
    now: () => start_ms + passed_ms + engine_offset_ms,
    real: () => start_ms + passed_ms + real_offset_ms,
    after(delay_ms, wake) {
      const timer = { due_ms: passed_ms + Math.max(0, delay_ms), wake }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(delta_ms) {
      const target_ms = passed_ms + finite(delta_ms)
      if (delta_ms < 0) throw new RangeError('time passes forward: use jump or skew to set a clock')
      for (let timer = earliest(timers); timer && timer.due_ms <= target_ms; timer = earliest(timers)) {
        timers.delete(timer)
        passed_ms = Math.max(passed_ms, timer.due_ms)
        timer.wake()
      }
      passed_ms = target_ms
    },
    jump(delta_ms) {
      engine_offset_ms += finite(delta_ms)
    },
    skew(delta_ms) {
      real_offset_ms += finite(delta_ms)
    },
    pending: () => timers.size,
  }
}

/** The timer that falls due first; of several, the one that was set first. */
function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined
  for (const timer of timers) if (first === undefined || timer.due_ms < first.due_ms) first = timer
  return first
}

function finite(delta_ms: number): number {
  if (Number.isFinite(delta_ms)) return delta_ms
  throw new RangeError(`time moves by a number of milliseconds, not ${delta_ms}`)
}
