import { inWords, type Logger } from '@quittance/core'

const first_backoff_ms = 100
const longest_backoff_ms = 5_000

/** Works -> down -> works. Logs both changes once per outage, however many tries fail in between. */
export class Outage {
  readonly #logger: Logger
  readonly #what: string
  #failures = 0

  /** `what` names the work for the log: `claiming deliveries`. */
  constructor(logger: Logger, what: string) {
    this.#logger = logger
    this.#what = what
  }

  /** Returns how long to wait before the next try, in ms. */
  failed(fault: unknown): number {
    if (this.#failures === 0) this.#logger.error(`${this.#what} fails`, { fault: inEachWords(fault) })
    this.#failures += 1
    return backoffAfter(this.#failures)
  }

  worked(): void {
    if (this.#failures > 0) this.#logger.info(`${this.#what} works again`, { failures: this.#failures })
    this.#failures = 0
  }
}

/** If all addresses of a name were tried, the AggregateError has no message itself. */
function inEachWords(fault: unknown): string {
  return fault instanceof AggregateError ? fault.errors.map(inWords).join(', ') : inWords(fault)
}

/** Twice as long each time, from 100 ms to 5 s. */
export function backoffAfter(failures: number): number {
  return Math.min(first_backoff_ms * 2 ** Math.min(failures - 1, 10), longest_backoff_ms)
}
