import { type Clock, systemClock } from '@quittance/core'

/** A clock that is the same in every process with the same pace, except for how far it was moved ahead. */
export interface MovableClock extends Clock {
  advance(by_ms: number): void
}

/** Since `began_ms`, time runs `speed` times as fast, so that leases and timeouts are shorter in proportion. */
export interface Pace {
  began_ms: number
  speed: number
}

/** Engine time and real time alike; timers keep the pace. */
export function movableClock({ began_ms, speed }: Pace): MovableClock {
  let ahead_ms = 0
  const now = () => Math.floor(began_ms + (systemClock.now() - began_ms) * speed) + ahead_ms
  return {
    now,
    real: now,
    after: (delay_ms, wake) => systemClock.after(delay_ms / speed, wake),
    advance(by_ms) {
      ahead_ms += by_ms
    },
  }
}
