import { type Clock, systemClock } from '@quittance/core'

/** The time of day, and later where it is moved: engine time and real time alike. Timers run as ever. */
export interface AheadClock extends Clock {
  advance(by_ms: number): void
}

export function aheadClock(): AheadClock {
  let ahead_ms = 0
  const now = () => systemClock.now() + ahead_ms
  return {
    now,
    real: now,
    after: systemClock.after,
    advance(by_ms) {
      ahead_ms += by_ms
    },
  }
}
