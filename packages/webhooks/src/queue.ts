import type {
  BookedSlots,
  ClaimTerms,
  Engine,
  FinishedAttempt,
  LeasedDelivery,
  Unsent,
} from '@quittance/core'

/**
 * The queue port. The database stays the source of truth: which deliveries are pending, when each is due, who holds its
 * lease and how its attempts ended are rows of the store. A queue only decides when a dispatcher wakes and which of the due
 * deliveries it takes. It may forget everything at any moment: nothing is lost by that, only delayed until the next sweep.
 * `describeQueue` in the testing package checks every sentence on this page.
 */
export interface DeliveryQueue {
  /**
   * Up to `limit` due deliveries, each under a lease that nobody else holds, of at most `delivery_lease_ms` by the engine's
   * clock; those that are `stopped` are to be released, one whose `secret` is null fails. Endpoints of a workspace take
   * turns, with at most ten live leases per workspace over all queues, not counting attempts that have `ended` and are not
   * recorded yet. An empty result means that nothing can be taken now; fewer than `limit`, that nothing else can, except in
   * workspaces where another claim is running at this moment: the next claim looks there again. A delivery that was taken
   * but not recorded comes again once its lease is over. Rejects if the store fails.
   *
   * For endpoints in `ahead` it may take more deliveries, with `ahead` set: these are beyond all limits and wait for the
   * places of others. A queue that decides itself what may be claimed may leave this out.
   */
  claim(limit: number, own?: ClaimTerms): Promise<LeasedDelivery[]>

  /**
   * Commits the outcomes of attempts, and releases their leases. An attempt whose lease has passed on, or that was
   * recorded before, changes nothing, so that a recording whose response was lost can be repeated. Rejects if the store
   * fails: the dispatcher then repeats it.
   */
  record(attempts: readonly FinishedAttempt[]): Promise<void>

  /**
   * Ends leases under which nothing was sent: the next claim may take these deliveries. A lease that has passed on is left
   * alone. Rejects if the store fails: then they come again once their leases are over.
   */
  release(leases: readonly Unsent[]): Promise<void>

  /**
   * The earliest due time of a pending delivery, in engine time, even if it has passed; null for none. Rejects if the
   * store fails.
   */
  nextDueAt(): Promise<string | null>

  /**
   * Calls `wake` soon after deliveries were filed that `giveFiled` gave to nobody, by this process or, as far as the store
   * hears of it (`deliveries.onFiledElsewhere`), by another, until the returned function is called: at least once for all
   * that were filed together. It may miss some, and may call without need, so a dispatcher also sweeps.
   */
  onReady(wake: () => void): () => void

  /**
   * Gives a dispatcher what its own process files, each delivery under a lease as in a claim, while `book` keeps slots free
   * for it, until the returned function is called. Everything else waits for a claim: a queue that decides itself what may
   * be claimed never books.
   */
  giveFiled(book: (count: number) => BookedSlots | null): () => void

  /**
   * Closes what the queue itself opened, also while it is being opened. Nothing is called afterwards. Deliveries that
   * were taken and not recorded are not waited for. A second call does nothing.
   */
  close(): Promise<void>
}

/** A kind of queue, opened for one dispatcher of this engine. */
export type OpenQueue = (engine: Engine) => DeliveryQueue

/**
 * The default queue, the store itself. Claims are its leases. A commit that files deliveries gives them to an idle
 * dispatcher of this process, or wakes one, here or, if the store hears of it (Postgres), in another process. The sweep
 * finds the rest.
 */
export const storeQueue: OpenQueue = ({ deliveries }) => {
  const subscriptions = new Subscriptions()
  return {
    claim: (limit, own) => deliveries.claim(limit, own),
    record: (attempts) => deliveries.record(attempts),
    release: (leases) => deliveries.release(leases),
    nextDueAt: () => deliveries.nextDueAt(),
    onReady: (wake) => subscriptions.add(deliveries.onFiled(wake), deliveries.onFiledElsewhere(wake)),
    giveFiled: (book) => subscriptions.add(deliveries.giveFiled(book)),
    close: async () => subscriptions.end(),
  }
}

/** The subscriptions to a queue. Each ends when its owner leaves or the queue is closed. */
export class Subscriptions {
  readonly #leaves = new Set<() => void>()

  /** Adds the subscription that these functions end, and returns a function that ends it. */
  add(...ends: readonly (() => void)[]): () => void {
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
