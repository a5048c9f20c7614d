import type { Random } from '../random.ts'

/** Every fault: how often it is drawn, and the words for what has happened then; null where these come later, if at all. */
export const faults = {
  /** Per unit of work: the commit fails, and nothing of it stays. */
  store_fails_before_commit: 'a commit failed',
  /** Per unit of work: it commits, and the response is lost. */
  store_fails_after_commit: 'the answer to a commit was lost',
  /** Per unit of work: rolled back and run again from the start, as after a serialization failure. */
  store_runs_again: 'a unit of work ran again',
  /** Per call of the store: refused before it began. */
  store_busy: 'the store was busy',
  /** Per unit of work: the process dies with the unit committed. */
  crash_after_commit: 'a process died right after its commit',
  /** Per call of the store: its response comes late, others go first. */
  store_answers_late: null,
  /** Per call of the processor: only a 503 comes back, and nothing takes effect. */
  processor_breaks_before: 'the processor broke before it did anything',
  /** Per call of the processor: it takes effect, but only a 5xx or a reset comes back. */
  processor_breaks_after: 'the processor acted and answered 5xx',
  /** Per call of the processor: no effect, and never a response. */
  processor_silent_before: 'the processor never heard of a request',
  /** Per call of the processor: an effect, and never a response. */
  processor_silent_after: 'the processor acted and never answered',
  /** Per call of the processor: it arrives twice. */
  processor_hears_twice: 'the processor heard a request twice',
  /** Per request for notifications: they come again from the beginning, late, or in another order. */
  notifications_repeat: 'notifications were told again',
  notifications_late: 'notifications came late',
  notifications_shuffled: 'notifications came in another order',
  /** Per attempt: a healthy receiver behaves in one of the ways of the corpus. */
  receiver_misbehaves: null,
  /** Per step: a process dies, with all that it had in memory. */
  crash: null,
  /** Per step: a process stops for a while and does not know it. */
  freeze: null,
  /** Per step: every clock is set, forward or back. */
  clock_jump: null,
  /** Per process: its clock is some seconds off. */
  clock_skew: null,
  /** Per event: the host's listener throws, which rolls back the unit of work that files the event. */
  listener_throws: 'a listener of the host threw',
} as const

type Fault = keyof typeof faults

/** How often each fault happens, from 0 (never) to 1: per call of a port, or per step of the history. */
export type FaultRates = { -readonly [Name in keyof typeof faults]: number }

const names = Object.keys(faults) as Fault[]

export const no_faults = Object.fromEntries(names.map((name) => [name, 0])) as FaultRates

/** The rates of one history: most faults are switched off, so that each is also seen alone. */
export function drawRates(random: Random): FaultRates {
  const rates = { ...no_faults }
  for (const name of names) {
    if (random.below(3) > 0) continue
    rates[name] = per_step.has(name) ? random.pick([0.05, 0.2]) : random.pick([0.03, 0.1, 0.3])
  }
  return rates
}

const per_step: ReadonlySet<Fault> = new Set(['crash', 'freeze', 'clock_jump'])

interface Struck {
  random: Random
  rates: FaultRates
  witness: { saw(what: NonNullable<(typeof faults)[Fault]>): void }
}

/** Whether the fault happens now; the witness notes it if it does. A rate of 0 draws nothing. */
export function strikes({ random, rates, witness }: Struck, fault: Fault): boolean {
  const rate = rates[fault]
  if (rate === 0 || random.below(10_000) >= rate * 10_000) return false
  const what = faults[fault]
  if (what !== null) witness.saw(what)
  return true
}
