import { canonicalJson } from '../../kernel/canonical-json.ts'
import type { FiledDelivery } from '../../kernel/operation.ts'
import type { Result } from '../../kernel/result.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WebhookEndpointRow } from '../../webhook-endpoints/webhook-endpoint.ts'
import { type LeasedDelivery, leasing, toLeased } from '../leased-delivery.ts'
import type { UnitServices } from '../services.ts'
import type { BookedSlots } from './booked-slots.ts'

type OutboxServices = Pick<UnitServices, 'bookers' | 'wake' | 'clock' | 'listeners' | 'secretOf'>

/**
 * The deliveries that one unit of work files. If a dispatcher would send all of them at once, they are leased in the same
 * commit, because a claim would take a commit of its own. Otherwise they wait to be claimed.
 */
export class Outbox {
  readonly #services: OutboxServices
  #filed: FiledDelivery[] = []
  /** Kept over reruns of the unit: freeing the slots in between would wake their dispatcher. */
  #slots: BookedSlots | undefined
  #booked = 0
  /** All that the last run filed, if it took leases on it. */
  #leased: LeasedDelivery[] | undefined

  constructor(services: OutboxServices) {
    this.#services = services
  }

  /** Runs the unit. Called again when the unit is rerun. */
  async fill<Value, Refusal>(
    tx: Transaction,
    run: (filed: (delivery: FiledDelivery) => void) => PromiseLike<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    this.#leased = undefined
    const filed: FiledDelivery[] = []
    this.#filed = filed
    const result = await run((delivery) => void filed.push(delivery))
    if (result.isOk() && filed.length > 0 && this.#services.bookers.size > 0) await this.#lease(tx)
    return result
  }

  /** To call once the unit has committed. */
  send(): void {
    if (this.#leased !== undefined) this.#take()?.send(this.#leased)
    else if (this.#filed.length > 0) this.#services.wake()
  }

  /** To call at the end, whatever the outcome: frees slots that are still booked. */
  release(): void {
    this.#take()?.release()
  }

  #take(): BookedSlots | undefined {
    const slots = this.#slots
    this.#slots = undefined
    return slots
  }

  async #lease(tx: Transaction): Promise<void> {
    const { clock, listeners, secretOf } = this.#services
    const { lease_until, real_at, ...places } = leasing(clock.real())
    // Leaves the reserved places alone: only a claim knows for which endpoints they are kept.
    const per_workspace = places.per_workspace - places.reserved
    if (this.#filed.length > per_workspace || !this.#book()) return
    if (Object.keys(listeners).length > 0 && (await isChanged(tx, this.#filed))) return
    const ids = this.#filed.map(({ delivery }) => delivery.id)
    if (!(await tx.leaseDeliveries({ ids, lease_until, real_at, per_workspace }))) return
    this.#leased = this.#filed.map(({ delivery, ...filed }) => {
      const leased = { ...filed, delivery: { ...delivery, lease: delivery.lease + 1 }, ahead: false }
      return toLeased(leased, lease_until, secretOf)
    })
  }

  #book(): boolean {
    if (this.#slots !== undefined) return this.#filed.length <= this.#booked
    const { bookers, secretOf } = this.#services
    if (this.#filed.some(({ endpoint }) => secretOf(endpoint) === null)) return false
    for (const book of bookers) {
      this.#slots = book(this.#filed.length) ?? undefined
      this.#booked = this.#filed.length
      if (this.#slots !== undefined) return true
    }
    return false
  }
}

/** Whether a listener of the host has changed what was filed, or where it goes: a claim would read both again. */
async function isChanged(tx: Transaction, filed: readonly FiledDelivery[]): Promise<boolean> {
  const changed = filed.map(async ({ delivery, endpoint }) => {
    const [row, to] = await Promise.all([
      tx.deliveries.get(delivery.id),
      tx.webhook_endpoints.get(delivery.endpoint),
    ])
    return canonicalJson([row, to && address(to)]) !== canonicalJson([delivery, address(endpoint)])
  })
  return (await Promise.all(changed)).includes(true)
}

/** The rest of an endpoint changes with every attempt. */
const address = ({ status, url, encrypted_secret }: WebhookEndpointRow) => [status, url, encrypted_secret]
