import { delivery_lease_ms, type Engine, type FinishedAttempt, type Lease } from '@quittance/core'
import { Outage } from '../outage.ts'
import type { DeliveryQueue } from '../queue.ts'
import { Delay } from './delay.ts'
import { retry } from './retry.ts'

/** The longest that outcomes wait for others still to come, so that one commit records many. */
const ripe_ms = 5

/** A round of recordings that takes longer does not hold up the next round. */
const slow_ms = 50

interface Batch {
  attempts: FinishedAttempt[]
  /** Until when another try may begin, in real time. */
  end_ms: number
}

interface OutcomesOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'record'>
  /** This many outcomes do not wait for others. */
  many: number
  /** Whether outcomes worth waiting for are to come, and no claim is due that would prolong the wait. */
  moreToCome: () => boolean
  /** Called when what has finished has waited for long enough, and is to be recorded. */
  onRipe: () => void
  /** Called once `count` attempts are recorded, at the first try or later, or given up. */
  onSettled: (how: 'at once' | 'late' | 'never', count: number) => void
}

/**
 * Outcomes of attempts on their way into the store: finished -> ripe -> recorded, or after a fault retrying -> recorded
 * or given up (at once if the engine was closed). They are recorded in rounds, so that few commits take all that ends; but
 * a workspace whose recording waits, for a lock or a retry, does not hold up the others.
 */
export class Outcomes {
  readonly #options: OutcomesOptions
  readonly #outage: Outage
  #finished: FinishedAttempt[] = []
  readonly #unrecorded = new Set<Lease>()
  readonly #ripening: Delay
  #isRipe = false
  #isInRound = false
  /** The scopes of which a batch is being recorded, each with the batch to record next. */
  readonly #recording = new Map<string, Batch>()

  constructor(options: OutcomesOptions) {
    this.#options = options
    this.#outage = new Outage(options.engine.logger, 'recording attempts')
    this.#ripening = new Delay(options.engine.clock, ripe_ms, () => {
      this.#isRipe = true
      options.onRipe()
    })
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
   * Records the finished attempts of each scope on their own, one batch after the other: two at a time would wait for each
   * other's endpoints. Leaves them for later if a round is under way, or if they are few and more will come soon. Never
   * rejects.
   */
  async record(): Promise<void> {
    const { engine, many, moreToCome, onRipe } = this.#options
    const { length } = this.#finished
    if (this.#isInRound || length === 0) return
    if (!this.#isRipe && length < many && moreToCome()) return this.#ripening.begin()
    this.#ripening.end()
    this.#isRipe = false
    this.#isInRound = true
    const slow = Promise.withResolvers<void>()
    const cancel = engine.clock.after(slow_ms, slow.resolve)
    await Promise.race([this.#recordFinished(), slow.promise])
    cancel()
    this.#isInRound = false
    if (this.#finished.length > 0) onRipe()
  }

  /** Not async: that would keep all of a round in memory until the slowest of its workspaces is recorded. */
  #recordFinished(): Promise<unknown> {
    const scopes = Map.groupBy(this.#finished, ({ delivery }) => `${delivery.workspace} ${delivery.livemode}`)
    this.#finished = []
    // Retries end with a lease, after which another dispatcher may have made the attempt again. Counted from here, just after
    // the attempts: waiting behind another batch does not prolong it.
    const end_ms = this.#options.engine.clock.real() + delivery_lease_ms
    return Promise.all([...scopes].map(([scope, attempts]) => this.#recordScope(scope, { attempts, end_ms })))
  }

  async #recordScope(scope: string, batch: Batch): Promise<void> {
    const behind = this.#recording.get(scope)
    if (behind !== undefined) {
      behind.attempts.push(...batch.attempts)
      behind.end_ms = batch.end_ms
      return
    }
    // A loop: recursion would keep every batch in memory until nothing waits, and a backlog can take hours.
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
    const how = await retry(engine, {
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
