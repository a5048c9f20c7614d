import type { ClaimTerms, Engine, LeasedDelivery } from '@quittance/core'
import { backoffAfter, Outage } from '../outage.ts'
import type { DeliveryQueue } from '../queue.ts'

/** A claim that takes longer is slow. A store may take as long as a lease to respond or fail. */
const slow_ms = 1_000

interface ClaimsOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'claim'>
  /** Called when a claim has become slow. */
  onSlow: () => void
  /** Called when a claim has failed. */
  onFault: (fault: unknown) => void
  /** Called when there may be claims again after a rest. */
  onRested: () => void
}

/**
 * The claims of a dispatcher, one at a time: under way -> (after a second) slow -> over. If the store fails, or deliveries come
 * too late, they rest.
 */
export class Claims {
  readonly #options: ClaimsOptions
  readonly #outage: Outage
  /** Whether the claim under way, or else the last one, is slow. */
  isSlow = false
  /** No claims until the backoff is over. */
  isResting = false

  constructor(options: ClaimsOptions) {
    this.#options = options
    this.#outage = new Outage(options.engine.logger, 'claiming deliveries')
  }

  /** Resolves to none after a fault. */
  async claim(limit: number, own: ClaimTerms): Promise<LeasedDelivery[]> {
    const { engine, queue, onSlow, onFault } = this.#options
    this.isSlow = false
    const cancel = engine.clock.after(slow_ms, () => {
      this.isSlow = true
      onSlow()
    })
    try {
      const claimed = await queue.claim(limit, own)
      this.#outage.worked()
      return claimed
    } catch (fault) {
      this.restAfter(fault)
      onFault(fault)
      return []
    } finally {
      cancel()
    }
  }

  /** For a store that fails: longer each time, until a claim works. */
  restAfter(fault: unknown): void {
    this.#rest(this.#outage.failed(fault))
  }

  /** For deliveries that came too late to be sent: the next ones may, too. */
  restAfterLate(): void {
    this.#rest(backoffAfter(1))
  }

  #rest(backoff_ms: number): void {
    const { engine, onRested } = this.#options
    this.isResting = true
    engine.clock.after(backoff_ms, () => {
      this.isResting = false
      onRested()
    })
  }
}
