import { iso } from '../../schema/timestamps.ts'
import { reconcile } from '../reconcile/reconcile.ts'
import type { Services } from '../services.ts'
import { keepClock, type MovableClock } from './movable-clock.ts'

/** Something that sends due deliveries, and can say when it has none left to send. */
export interface Worker {
  /** Sends everything that is due now and resolves when all of it is recorded. */
  drain(): Promise<void>
}

/**
 * Moves the engine's clock ahead and runs everything that falls due on the way, in order. It stops at each moment
 * at which something is due, until the target is reached and nothing is left to do.
 */
export async function advanceClock(
  services: Services,
  { clock, workers, seconds }: { clock: MovableClock; workers: ReadonlySet<Worker>; seconds: number },
): Promise<void> {
  const target_ms = clock.now() + seconds * 1000
  // Stored before anything is done at that time: a process that dies here must not restart before its records.
  const moveTo = async (at_ms: number) => {
    clock.moveTo(at_ms)
    await keepClock(services, clock)
    await runDue(services, workers)
  }
  // Real time goes on meanwhile: what falls due while something else is done comes next.
  let done_ms = clock.now()
  await runDue(services, workers)
  for (;;) {
    const next_ms = await nextDue(services, done_ms)
    if (next_ms === null || next_ms > target_ms) break
    await moveTo(next_ms)
    done_ms = next_ms
  }
  await moveTo(target_ms)
}

/** Runs what is due now. */
async function runDue(services: Services, workers: ReadonlySet<Worker>): Promise<void> {
  await reconcile(services)
  for (const worker of workers) await worker.drain()
}

/** The next moment after this one at which a row, a delivery or a processor needs attention. */
async function nextDue({ store, processors }: Services, after_ms: number): Promise<number | null> {
  const after = iso(after_ms)
  const { row, delivery } = await store.nextDue(after)
  const reports = await Promise.all([
    processors.sandbox?.nextNotificationAt(),
    processors.live?.nextNotificationAt(),
  ])
  const times = [row, delivery, ...reports].filter((time) => time != null && time > after)
  const next = times.sort()[0]
  return next == null ? null : Date.parse(next)
}
