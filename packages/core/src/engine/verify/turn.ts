// Not the global one: in a host's tests that may be a fake, which never calls back.
import { setImmediate } from 'node:timers'

/** Lets other work run: an in-process database answers at once, and a walk would never yield to the event loop. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
