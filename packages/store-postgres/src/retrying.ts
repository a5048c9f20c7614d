import { NothingDone } from './faults.ts'

/** How often, and for how long, a caller waits for what may succeed: a restart of Postgres takes some seconds. */
const attempts = 20
const patience_ms = 10_000

const first_delay_ms = 5
const longest_delay_ms = 1_000

/** Runs `attempt` again from the start for as long as it throws `NothingDone`, and throws what was behind the last one. */
export async function retrying<Value>(attempt: () => Promise<Value>): Promise<Value> {
  const started_ms = performance.now()
  for (let run = 1; ; run += 1) {
    try {
      return await attempt()
    } catch (fault) {
      if (!(fault instanceof NothingDone)) throw fault
      if (run === attempts || performance.now() - started_ms > patience_ms) throw fault.because
      await delay(run)
    }
  }
}

/** Twice as long each time, and by chance up to half of it shorter: what collided once shall not do so again. */
function delay(run: number): Promise<void> {
  const most_ms = Math.min(longest_delay_ms, first_delay_ms * 2 ** run)
  return new Promise((resolve) => setTimeout(resolve, most_ms * (0.5 + Math.random() / 2)))
}
