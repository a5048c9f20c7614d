import type { Clock, FinishedAttempt, Lease, Logger } from '@quittance/core'
import { Outage } from './outage.ts'
import type { DeliveryQueue } from './queue.ts'

/** The length of a lease: after that, another dispatcher may have repeated the attempt. */
const give_up_after_ms = 30_000

interface OutcomesOptions {
  queue: Pick<DeliveryQueue, 'record'>
  clock: Clock
  logger: Logger
  /** Called once attempts are recorded, at the first try or later, or given up. */
  onSettled: (how: 'at once' | 'late') => void
}

/**
 * Outcomes of attempts on their way into the store: finished -> recorded, or after a fault retrying -> recorded
 * or given up. A batch that is being retried does not hold up others.
 */
export class Outcomes {
  readonly #options: OutcomesOptions
  readonly #outage: Outage
  #finished: FinishedAttempt[] = []
  readonly #unrecorded = new Set<Lease>()

  constructor(options: OutcomesOptions) {
    this.#options = options
    this.#outage = new Outage(options.logger, 'recording attempts')
  }

  add(attempt: FinishedAttempt): void {
    this.#finished.push(attempt)
    this.#unrecorded.add(attempt.delivery)
  }

  /** The leases of attempts that are not recorded yet. */
  get unrecorded(): ReadonlySet<Lease> {
    return this.#unrecorded
  }

  /** Records all finished attempts in one batch. Never rejects. */
  async record(): Promise<void> {
    const batch = this.#finished
    if (batch.length === 0) return
    this.#finished = []
    const { clock, logger, onSettled } = this.#options
    const end_ms = clock.real() + give_up_after_ms
    let backoff_ms = await this.#commit(batch)
    const how = backoff_ms === null ? 'at once' : 'late'
    while (backoff_ms !== null && clock.real() < end_ms) {
      const delay_ms = backoff_ms
      await new Promise<void>((resolve) => clock.after(delay_ms, resolve))
      backoff_ms = await this.#commit(batch)
    }
    if (backoff_ms !== null)
      logger.error('attempts were not recorded and will be made again', { count: batch.length })
    for (const { delivery } of batch) this.#unrecorded.delete(delivery)
    onSettled(how)
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
