import { delivery_lease_ms, type Engine, type LeasedDelivery } from '@quittance/core'
import type { DeliveryQueue } from '../queue.ts'
import { longest_attempt_ms } from '../sender/sender.ts'
import { Outage } from './outage.ts'
import { persist } from './persist.ts'

export interface ReleasesOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'release'>
  /**
   * Called once deliveries were released, or could not be and wait for their leases to end. Not `isReady`: others should
   * claim them first.
   */
  onReleased: (isReady: boolean) => void
  /** Called when deliveries came too late to be sent: the next ones may, too. */
  onLate: () => void
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
    this.#outage = new Outage(options.engine.logger, 'giving deliveries back')
  }

  isQuiet(): boolean {
    return this.#releasing === 0
  }

  /** From here on everything is tried once. */
  stop(): void {
    this.#isStopping = true
  }

  /** Those that are to be sent. The others are released, which cancels those of endpoints that were disabled. */
  keepSendable(leased: readonly LeasedDelivery[]): readonly LeasedDelivery[] {
    const { clock, logger } = this.#options.engine
    const late = new Set(leased.filter((delivery) => !maySend(delivery, clock.real())))
    if (late.size > 0) {
      const message =
        'deliveries are not sent, since somebody else may have them before their attempts are over'
      logger.warn(message, { count: late.size })
      this.#options.onLate()
    }
    const isSent = (delivery: LeasedDelivery) => !delivery.stopped && !late.has(delivery)
    if (leased.every(isSent)) return leased
    void this.release(leased.filter((delivery) => !isSent(delivery)))
    return leased.filter(isSent)
  }

  async release(unsent: readonly LeasedDelivery[], isReady = true): Promise<void> {
    const { engine, queue, onReleased } = this.#options
    if (unsent.length === 0) return
    this.#releasing += 1
    const end_ms = engine.clock.real() + delivery_lease_ms
    const how = await persist(engine, {
      outage: this.#outage,
      work: () => queue.release(unsent),
      isOver: () => this.#isStopping || engine.isClosed() || engine.clock.real() >= end_ms,
    })
    if (how === 'never') {
      const message = 'deliveries were not given back and wait until their leases are over'
      engine.logger.warn(message, { count: unsent.length })
    }
    this.#releasing -= 1
    onReleased(isReady)
  }
}

/** Whether its lease outlasts the longest possible attempt, by a clock that has not gone back since. */
function maySend({ lease_until }: LeasedDelivery, real_now_ms: number): boolean {
  const left_ms = Date.parse(lease_until) - real_now_ms
  return left_ms > longest_attempt_ms && left_ms <= delivery_lease_ms
}
