import { type Clock, systemClock } from '@quittance/core'

/** How long limits in Redis wait for an answer. */
export const answer_timeout_ms = 1_000

/** Waits for an answer of Redis for as long as it takes, on a machine that stalls too. */
export const patient: Clock = {
  ...systemClock,
  after: (delay_ms, wake) => (delay_ms === answer_timeout_ms ? () => {} : systemClock.after(delay_ms, wake)),
}
