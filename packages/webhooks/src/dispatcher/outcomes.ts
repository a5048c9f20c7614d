import { delivery_lease_ms, type Engine, type FinishedAttempt, type Lease } from '@quittance/core'
import type { DeliveryQueue } from '../queue.ts'
import { Outage } from './outage.ts'
import { persist } from './persist.ts'

/**
 * How long finished attempts wait at most for those still on the wire, so that one commit records them all and one
 * claim fills their slots. A delivery that was just filed never waits for it.
 */
const gather_ms = 2

interface Batch {
  attempts: FinishedAttempt[]
  /** Until when another try may begin, in real time. */
  end_ms: number
}

interface OutcomesOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'record'>
  /** Called once so many attempts are recorded, at the first try or later, or given up. */
  onSettled: (how: 'at once' | 'late' | 'never', count: number) => void
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
  #cancelGather: (() => void) | undefined
  /** The workspaces and environments of which a batch is being recorded, each with what is recorded after it. */
  readonly #recording = new Map<string, Batch>()

  constructor(options: OutcomesOptions) {
    this.#options = options
    this.#outage = new Outage(options.engine.logger, 'recording attempts')
  }

  add(attempt: FinishedAttempt): void {
    this.#finished.push(attempt)
    this.#unrecorded.add(attempt.delivery)
  }

  /** Calls `then` when what has finished has waited for long enough, unless `endGathering` is called before. */
  gather(then: () => void): void {
    this.#cancelGather ??= this.#options.engine.clock.after(gather_ms, then)
  }

  endGathering(): void {
    this.#cancelGather?.()
    this.#cancelGather = undefined
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
    // Not beyond a lease, after which another dispatcher may have made the attempt again. Counted from here, where attempts
    // have ended: waiting behind another batch does not prolong it.
    const end_ms = this.#options.engine.clock.real() + delivery_lease_ms
    await Promise.all([...scopes].map(([scope, attempts]) => this.#recordScope(scope, { attempts, end_ms })))
  }

  async #recordScope(scope: string, batch: Batch): Promise<void> {
    const behind = this.#recording.get(scope)
    if (behind !== undefined) {
      behind.attempts.push(...batch.attempts)
      behind.end_ms = batch.end_ms
      return
    }
    // A loop, because a call for each batch would keep all of them until nothing waits: a backlog can take hours.
    for (let next = batch; next.attempts.length > 0; ) {
      const recorded = next
      next = { attempts: [], end_ms: batch.end_ms }
      this.#recording.set(scope, next)
      await this.#recordBatch(recorded)
    }
    this.#recording.delete(scope)
  }

  async #recordBatch({ attempts, end_ms }: Batch): Promise<void> {
    const { engine, queue, onSettled } = this.#options
    const how = await persist(engine, {
      outage: this.#outage,
      work: () => queue.record(attempts),
      isOver: () => engine.isClosed() || engine.clock.real() >= end_ms,
    })
    if (how === 'never') {
      const fields = { count: attempts.length, engine: engine.isClosed() ? 'closed' : 'open' }
      engine.logger.error('attempts were not recorded and will be made again', fields)
    }
    for (const { delivery } of attempts) this.#unrecorded.delete(delivery)
    onSettled(how, attempts.length)
  }
}
