import type { Clock, FinishedAttempt, Logger } from '@quittance/core'
import { Outage } from './outage.ts'
import type { DeliveryQueue } from './queue.ts'

/** The length of a lease: after that, another dispatcher may have repeated the attempt. */
const give_up_after_ms = 30_000

interface OutcomesOptions {
  queue: Pick<DeliveryQueue, 'record'>
  clock: Clock
  logger: Logger
  /** Called once attempts that could not be recorded at first are recorded or given up. */
  onSettled: () => void
}

/**
 * Outcomes of attempts on their way into the store: finished -> recorded, or after a fault retrying -> recorded
 * or given up. A batch that is being retried does not hold up others.
 */
export class Outcomes {
  readonly #options: OutcomesOptions
  readonly #outage: Outage
  #finished: FinishedAttempt[] = []
  #retrying = 0

  constructor(options: OutcomesOptions) {
    this.#options = options
    this.#outage = new Outage(options.logger, 'recording attempts')
  }

  add(attempt: FinishedAttempt): void {
    this.#finished.push(attempt)
  }

  /** The number of finished attempts that no `record` has taken yet. */
  get finished(): number {
    return this.#finished.length
  }

  /** The number of attempts whose recording is being retried. */
  get retrying(): number {
    return this.#retrying
  }

  /** Records all finished attempts in one batch, and returns their number, or 0 if that failed. Never rejects. */
  async record(): Promise<number> {
    const batch = this.#finished
    if (batch.length === 0) return 0
    this.#finished = []
    const backoff_ms = await this.#commit(batch)
    if (backoff_ms === null) return batch.length
    this.#retrying += batch.length
    void this.#retry(batch, backoff_ms)
    return 0
  }

  async #retry(batch: readonly FinishedAttempt[], first_backoff_ms: number): Promise<void> {
    const { clock, logger, onSettled } = this.#options
    const end_ms = clock.real() + give_up_after_ms
    let backoff_ms: number | null = first_backoff_ms
    while (backoff_ms !== null && clock.real() < end_ms) {
      const delay_ms = backoff_ms
      await new Promise<void>((resolve) => clock.after(delay_ms, resolve))
      backoff_ms = await this.#commit(batch)
    }
    if (backoff_ms !== null)
      logger.error('attempts were not recorded and will be made again', { count: batch.length })
    this.#retrying -= batch.length
    onSettled()
  }

  /** Null once it is committed, else how long to wait before the next try. */
  async #commit(batch: readonly FinishedAttempt[]): Promise<number | null> {
    try {
      await this.#options.queue.record(batch)
      this.#outage.worked()
      return null
    } catch (fault) {
      return this.#outage.failed(fault)
    }
  }
}
