import { delivery_lease_ms, type Engine, type LeasedDelivery } from '@quittance/core'
import { Outage } from '../outage.ts'
import type { DeliveryQueue } from '../queue.ts'
import { retry } from './retry.ts'

export interface ReleasesOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'release'>
  /**
   * Called once deliveries were released, or could not be and wait for their leases to end. Unless `isReady`, other
   * processes should claim them first.
   */
  onReleased: (isReady: boolean) => void
}

/**
 * What is leased and not sent, on its way back into the store: releasing -> released, or after a fault retrying -> released
 * or left until its lease is over.
 */
export class Releases {
  readonly #options: ReleasesOptions
  readonly #outage: Outage
  #releasing = 0
  #isStopping = false

  constructor(options: ReleasesOptions) {
    this.#options = options
    this.#outage = new Outage(options.engine.logger, 'releasing deliveries')
  }

  isQuiet(): boolean {
    return this.#releasing === 0
  }

  /** From here on every release is tried only once. */
  stop(): void {
    this.#isStopping = true
  }

  async release(unsent: readonly LeasedDelivery[], isReady = true): Promise<void> {
    const { engine, queue, onReleased } = this.#options
    if (unsent.length === 0) return
    this.#releasing += 1
    const end_ms = engine.clock.real() + delivery_lease_ms
    const how = await retry(engine, {
      outage: this.#outage,
      work: () => queue.release(unsent),
      isOver: () => this.#isStopping || engine.isClosed() || engine.clock.real() >= end_ms,
    })
    if (how === 'never') {
      const message = 'deliveries were not released and wait until their leases expire'
      engine.logger.warn(message, { count: unsent.length })
    }
    this.#releasing -= 1
    onReleased(isReady)
  }
}
