import type { Clock } from '../ports/clock.ts'

/** A clock that can be moved ahead of the real one, for the sandbox. Real time goes on unmoved. */
export interface MovableClock extends Clock {
  moveTo(at_ms: number): void
}

export function movableClock(clock: Clock): MovableClock {
  let offset_ms = 0
  return {
    now: () => clock.now() + offset_ms,
    real: () => clock.real(),
    after: (delay_ms, wake) => clock.after(delay_ms, wake),
    moveTo(at_ms) {
      offset_ms = Math.max(offset_ms, at_ms - clock.now())
    },
  }
}
