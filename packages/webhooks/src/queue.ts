import type { Engine, FinishedAttempt, SendableDelivery } from '@quittance/core'

/**
 * The queue port. The database stays the truth: which deliveries are pending, when each is due, who holds its
 * lease and what its attempts came to are rows of the store. A queue only decides when a dispatcher wakes and
 * which of the due deliveries it takes. It may forget everything at any moment: nothing is lost by that, only
 * delayed until the next sweep. `describeQueue` in the testing package checks every sentence on this page.
 */
export interface DeliveryQueue {
  /**
   * Up to `limit` due deliveries, each under a live lease that nobody else holds: endpoints of a workspace in
   * turn, at most ten live leases per workspace over all queues. Fewer than `limit` means that nothing else
   * can be taken at this moment. What was taken and never recorded comes again once its lease is over.
   */
  claim(limit: number): Promise<SendableDelivery[]>

  /**
   * Commits what attempts came to, and lets go of their leases. An attempt made under a lease that has passed
   * on, or recorded before, changes nothing, so that a recording whose answer was lost can be repeated.
   */
  record(attempts: readonly FinishedAttempt[]): Promise<void>

  /** When the next pending delivery falls due, in engine time, those already due included; null for none. */
  nextDueAt(): Promise<string | null>

  /**
   * Calls `wake` soon after deliveries were filed, at least once for all that were filed together, until the
   * returned function is called. It may miss some, and may call for nothing: who waits sweeps as well.
   */
  onReady(wake: () => void): () => void

  /** Closes what the queue itself opened. Nothing is called afterwards. */
  close(): Promise<void>
}

/** A kind of queue, opened for one dispatcher of this engine. */
export type OpenQueue = (engine: Engine) => DeliveryQueue

/**
 * The store itself: claims are its leases, and a wake-up is the commit that filed deliveries, of this process or of
 * another one that the store hears of (Postgres). What it does not hear of is found by the sweep. The default.
 */
export const storeQueue: OpenQueue = ({ deliveries }) => {
  const listening = new Listening()
  return {
    claim: (limit) => deliveries.claim(limit),
    record: (attempts) => deliveries.record(attempts),
    nextDueAt: () => deliveries.nextDueAt(),
    onReady: (wake) => listening.until(deliveries.onFiled(wake), deliveries.onFiledElsewhere(wake)),
    close: async () => listening.end(),
  }
}

/** What a queue listens to: until whoever asked for it leaves, or the queue is closed. */
export class Listening {
  readonly #leaves = new Set<() => void>()

  /** Keeps how each is ended, and gives back how to end them now. */
  until(...ends: readonly (() => void)[]): () => void {
    const leave = () => {
      this.#leaves.delete(leave)
      for (const end of ends) end()
    }
    this.#leaves.add(leave)
    return leave
  }

  end(): void {
    for (const leave of this.#leaves) leave()
  }
}
