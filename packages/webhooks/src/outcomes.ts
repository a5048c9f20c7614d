import type { Engine, FinishedAttempt, Lease } from '@quittance/core'
import { backoffAfter, Outage } from './outage.ts'
import type { DeliveryQueue } from './queue.ts'

/** The length of a lease: after that, another dispatcher may have repeated the attempt. */
const give_up_after_ms = 30_000

interface OutcomesOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'record'>
  /** Called once attempts are recorded, at the first try or later, or given up. */
  onSettled: (how: 'at once' | 'late') => void
}

/**
 * Outcomes of attempts on their way into the store: finished -> recorded, or after a fault retrying -> recorded
 * or given up, at once where the engine was closed. One workspace whose recording waits, for a lock or a try, does not
 * hold up others.
 */
export class Outcomes {
  readonly #options: OutcomesOptions
  readonly #outage: Outage
  #finished: FinishedAttempt[] = []
  readonly #unrecorded = new Set<Lease>()
  /** The workspaces and environments of which a batch is being recorded, each with what is recorded after it. */
  readonly #recording = new Map<string, FinishedAttempt[]>()

  constructor(options: OutcomesOptions) {
    this.#options = options
    this.#outage = new Outage(options.engine.logger, 'recording attempts')
  }

  add(attempt: FinishedAttempt): void {
    this.#finished.push(attempt)
    this.#unrecorded.add(attempt.delivery)
  }

  /** The leases of attempts that are not recorded yet. */
  get unrecorded(): ReadonlySet<Lease> {
    return this.#unrecorded
  }

  /**
   * Records the finished attempts of each workspace and environment by themselves, one batch after the other: two at a time
   * would wait for each other's endpoints. Never rejects.
   */
  async record(): Promise<void> {
    const scopes = Map.groupBy(this.#finished, ({ delivery }) => `${delivery.workspace} ${delivery.livemode}`)
    this.#finished = []
    await Promise.all([...scopes].map(([scope, batch]) => this.#recordScope(scope, batch)))
  }

  async #recordScope(scope: string, batch: readonly FinishedAttempt[]): Promise<void> {
    const next = this.#recording.get(scope)
    if (next !== undefined) {
      next.push(...batch)
      return
    }
    const behind: FinishedAttempt[] = []
    this.#recording.set(scope, behind)
    await this.#recordBatch(batch)
    this.#recording.delete(scope)
    if (behind.length > 0) await this.#recordScope(scope, behind)
  }

  async #recordBatch(batch: readonly FinishedAttempt[]): Promise<void> {
    const { engine, onSettled } = this.#options
    const { clock, logger } = engine
    const end_ms = clock.real() + give_up_after_ms
    let isRecorded = await this.#commit(batch)
    const how = isRecorded ? 'at once' : 'late'
    for (let failures = 1; !isRecorded && !engine.isClosed() && clock.real() < end_ms; failures += 1) {
      await new Promise<void>((resolve) => clock.after(backoffAfter(failures), resolve))
      isRecorded = await this.#commit(batch)
    }
    if (!isRecorded) {
      const fields = { count: batch.length, engine: engine.isClosed() ? 'closed' : 'open' }
      logger.error('attempts were not recorded and will be made again', fields)
    }
    for (const { delivery } of batch) this.#unrecorded.delete(delivery)
    onSettled(how)
  }

  async #commit(batch: readonly FinishedAttempt[]): Promise<boolean> {
    try {
      await this.#options.queue.record(batch)
      this.#outage.worked()
      return true
    } catch (fault) {
      this.#outage.failed(fault)
      return false
    }
  }
}
