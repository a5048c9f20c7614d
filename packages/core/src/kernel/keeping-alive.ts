// Not the global: in a host's tests that may be a fake.
import { clearInterval, setInterval } from 'node:timers'

/** The timers of a clock do not keep the process alive: it would end where only a limit or a retry is waited for. */
export async function keepingAlive<Value>(work: () => Promise<Value>): Promise<Value> {
  const alive = setInterval(() => {}, 60_000)
  try {
    return await work()
  } finally {
    clearInterval(alive)
  }
}
