import type { ClaimTerms, Engine, LeasedDelivery } from '@quittance/core'
import { Outage } from '../outage.ts'
import type { DeliveryQueue } from '../queue.ts'

/** A claim that takes longer is slow. A store may take as long as a lease to respond or fail. */
const slow_ms = 1_000

interface ClaimsOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'claim'>
  /** Called when a claim has become slow. */
  onSlow: () => void
  /** Called when a claim has failed, with how long to wait before the next. */
  onFault: (fault: unknown, backoff_ms: number) => void
}

/** The claims of a dispatcher, one at a time: under way -> (after a second) slow -> over. */
export class Claims {
  readonly #options: ClaimsOptions
  readonly outage: Outage
  /** Whether the claim under way, or else the last one, is slow. */
  isSlow = false

  constructor(options: ClaimsOptions) {
    this.#options = options
    this.outage = new Outage(options.engine.logger, 'claiming deliveries')
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
      this.outage.worked()
      return claimed
    } catch (fault) {
      onFault(fault, this.outage.failed(fault))
      return []
    } finally {
      cancel()
    }
  }
}
