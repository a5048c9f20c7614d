// Not the global one: in a host's tests that may be a fake, which never calls back.
import { setImmediate } from 'node:timers'

/** Some 10 ms of work. */
const records_a_turn = 1_000

/** Gives `each` one after the other, and between a thousand and the next lets the rest of the process run: a file may be large. */
export async function inTurns<Value>(values: Iterable<Value>, each: (value: Value) => void): Promise<void> {
  let count = 0
  for (const value of values) {
    each(value)
    count += 1
    if (count % records_a_turn === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
