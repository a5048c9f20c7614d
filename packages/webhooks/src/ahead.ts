import type { Engine, LeaseAhead, SendableDelivery } from '@quittance/core'
import { ahead_ms, Lines } from './lines.ts'
import { isInTime, type MadeAttempt } from './make-attempt.ts'
import type { DeliveryQueue } from './queue.ts'

/** What was leased ahead and not sent by then is given back: its endpoint has become slow. */
export const give_back_after_ms = 2 * ahead_ms

interface AheadOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'release'>
  send: (deliveries: readonly SendableDelivery[]) => void
  /** Called when deliveries were given back, so that they can be claimed again, or not, so that a lease has to end. */
  onReturned: () => void
  /** Called when the store cannot say how endpoints are. */
  onFault: (fault: unknown) => void
}

/**
 * What a dispatcher has leased ahead: waiting -> (an attempt has ended) asked about -> sent; or, where its endpoint was
 * changed or has become slow, or the dispatcher stops, given back.
 */
export class Ahead {
  readonly #options: AheadOptions
  readonly #lines = new Lines()
  /** Deliveries that are asked about, and neither sent nor given back yet. */
  readonly #asked = new Set<SendableDelivery>()
  #returning = 0
  #isStopping = false

  constructor(options: AheadOptions) {
    this.#options = options
  }

  /** How many are asked about. */
  get asking(): number {
    return this.#asked.size
  }

  /** Nothing waits, and nothing is being given back. */
  isQuiet(): boolean {
    return this.#lines.isEmpty() && this.#returning === 0
  }

  /** For a claim: of which endpoints to lease ahead, and how much. */
  wanted(): LeaseAhead[] {
    return this.#lines.wanted(this.#options.engine.clock.real())
  }

  /** Keeps what the last claim has leased ahead until attempts to its endpoints have ended. */
  keep(ahead: readonly SendableDelivery[]): void {
    const kept = this.inTime(ahead)
    if (kept.length === 0) return
    this.#lines.add(kept)
    if (this.#isStopping) this.#giveBack(kept)
    else this.#options.engine.clock.after(give_back_after_ms, () => this.#giveBack(kept))
  }

  /** Whether a delivery waits for the place of this attempt. */
  ended(attempt: MadeAttempt): boolean {
    return this.#lines.ended(attempt, this.#options.engine.clock.real())
  }

  /** Those whose leases outlast the longest attempt. The others, which somebody else may have by now, are given back. */
  inTime(leased: readonly SendableDelivery[]): SendableDelivery[] {
    const late = leased.filter((delivery) => !isInTime(this.#options.engine, delivery))
    void this.#return(late)
    return leased.filter((delivery) => !late.includes(delivery))
  }

  /** Up to `limit` of those that have a place, unless their endpoints were changed: no attempt begins once that is disabled. */
  async sendNext(limit: number): Promise<void> {
    const next = this.#lines.next(limit)
    if (next.length === 0) return
    for (const delivery of next) this.#asked.add(delivery)
    const same = new Set(await this.#unchanged(next))
    const asked = next.filter((delivery) => this.#asked.delete(delivery))
    const isSent = (delivery: SendableDelivery) => same.has(delivery) && !this.#isStopping
    this.#options.send(asked.filter(isSent))
    const changed = asked.filter((delivery) => !isSent(delivery))
    const behind = changed.flatMap((delivery) => this.#lines.remove(this.#lines.waiting(delivery)))
    await this.#return([...changed, ...behind])
  }

  stop(): void {
    this.#isStopping = true
    this.#giveBack(this.#lines.waiting())
  }

  async #unchanged(deliveries: readonly SendableDelivery[]): Promise<SendableDelivery[]> {
    const { engine, onFault } = this.#options
    try {
      return await engine.deliveries.unchanged(deliveries)
    } catch (fault) {
      onFault(fault)
      return []
    }
  }

  /** Those of them that still wait, or wait for an answer: when it comes, somebody else may have them. */
  #giveBack(ahead: readonly SendableDelivery[]): void {
    const asked = ahead.filter((delivery) => this.#asked.delete(delivery))
    void this.#return([...asked, ...this.#lines.remove(ahead)])
  }

  async #return(unsent: readonly SendableDelivery[]): Promise<void> {
    const { engine, queue, onReturned } = this.#options
    if (unsent.length === 0) return
    this.#returning += 1
    try {
      await queue.release(unsent)
    } catch (fault) {
      const fields = { count: unsent.length, fault: String(fault) }
      engine.logger.warn('deliveries were not given back and wait until their leases are over', fields)
    }
    this.#returning -= 1
    onReturned()
  }
}
