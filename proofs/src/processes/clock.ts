import { type Clock, systemClock } from '@quittance/core'

/** A clock that is the same in every process that is given the same pace, and later where it is moved. */
export interface MovableClock extends Clock {
  advance(by_ms: number): void
}

/** Time runs `speed` times as fast since `began_ms`: leases and time-outs then last as much shorter. */
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
