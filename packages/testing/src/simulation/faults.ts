import type { Random } from '../random.ts'

/** How often each fault happens, from 0 (never) to 1: per call of a port, or per step of the history. */
export type FaultRates = typeof no_faults

export const no_faults = {
  /** Per unit of work: the commit fails, and nothing of it stays. */
  store_fails_before_commit: 0,
  /** Per unit of work: it commits, and the response is lost. */
  store_fails_after_commit: 0,
  /** Per unit of work: rolled back and run again from the start, as after a serialization failure. */
  store_runs_again: 0,
  /** Per call of the store: refused before it began. */
  store_busy: 0,
  /** Per unit of work: the process dies with the unit committed. */
  crash_after_commit: 0,
  /** Per call of the store: its response comes late, others go first. */
  store_answers_late: 0,
  /** Per call of the processor: only a 503 comes back, and nothing takes effect. */
  processor_breaks_before: 0,
  /** Per call of the processor: it takes effect, but only a 5xx or a reset comes back. */
  processor_breaks_after: 0,
  /** Per call of the processor: no effect, and never a response. */
  processor_silent_before: 0,
  /** Per call of the processor: an effect, and never a response. */
  processor_silent_after: 0,
  /** Per call of the processor: it arrives twice. */
  processor_hears_twice: 0,
  /** Per request for notifications: they come again from the beginning, late, or in another order. */
  notifications_repeat: 0,
  notifications_late: 0,
  notifications_shuffled: 0,
  /** Per attempt: a healthy receiver behaves in one of the ways of the corpus. */
  receiver_misbehaves: 0,
  /** Per step: a process dies, with all that it had in memory. */
  crash: 0,
  /** Per step: a process stops for a while and does not know it. */
  freeze: 0,
  /** Per step: every clock is set, forward or back. */
  clock_jump: 0,
  /** Per process: its clock is some seconds off. */
  clock_skew: 0,
  /** Per event: the host's listener throws, which rolls back the unit of work that files the event. */
  listener_throws: 0,
}

/** The rates of one history: most faults are switched off, so that each is also seen alone. */
export function drawRates(random: Random): FaultRates {
  const rates = { ...no_faults }
  for (const fault of Object.keys(rates) as (keyof FaultRates)[]) {
    if (random.below(3) > 0) continue
    rates[fault] = per_step.has(fault) ? random.pick([0.05, 0.2]) : random.pick([0.03, 0.1, 0.3])
  }
  return rates
}

const per_step: ReadonlySet<keyof FaultRates> = new Set(['crash', 'freeze', 'clock_jump'])

/** Whether something that happens at `rate` happens now. A rate of 0 draws nothing. */
export function happens(random: Random, rate: number): boolean {
  return rate > 0 && random.below(10_000) < rate * 10_000
}
