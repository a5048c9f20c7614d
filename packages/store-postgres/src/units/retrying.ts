// Not the global: in a host's tests that may be a fake, which never calls back.
import { setTimeout } from 'node:timers'
import { isTaken, NothingDone } from '../faults.ts'

const first_delay_ms = 5
const longest_delay_ms = 1_000

/** Taken this often, the constraint is the unit's own mistake: it inserts without looking, and another run would not help. */
const most_taken = 3

/**
 * Runs `attempt` again from the start when it throws `NothingDone`, and tells it why; within limits that outlast a restart
 * of Postgres. When they are used up, it throws the cause of the last one.
 */
export async function retrying<Value>(
  attempt: (because?: unknown) => Promise<Value>,
  limits = { attempts: 20, patience_ms: 10_000 },
): Promise<Value> {
  const started_ms = performance.now()
  let taken = 0
  let because: unknown
  for (let run = 1; ; run += 1) {
    try {
      return await attempt(because)
    } catch (fault) {
      if (!(fault instanceof NothingDone)) throw fault
      because = fault.because
      if (isTaken(because)) taken += 1
      if (
        taken >= most_taken ||
        run >= limits.attempts ||
        performance.now() - started_ms > limits.patience_ms
      )
        throw because
      await delay(run)
    }
  }
}

/** Doubles each time, and is randomly shortened by up to half, so that units that collided do not collide again. */
function delay(run: number): Promise<void> {
  const most_ms = Math.min(longest_delay_ms, first_delay_ms * 2 ** run)
  return new Promise((resolve) => setTimeout(resolve, most_ms * (0.5 + Math.random() / 2)))
}
