import { cancelDelivery } from '../deliveries/delivery-machine.ts'
import type { Unit } from '../kernel/operation.ts'

/**
 * Cancels what an endpoint that was just disabled or deleted would still receive. A delivery that is on the
 * wire right now (its lease lives) is decided by its attempt: a 2xx counts, a failure cancels.
 */
export async function cancelPending({ tx, real_now }: Unit, endpoint: { id: string }): Promise<void> {
  const step = 500
  let after: string | undefined
  do {
    const pending = await tx.deliveries.page({
      where: { endpoint: endpoint.id, status: 'pending' },
      after,
      limit: step,
    })
    for (const { id } of pending) {
      const delivery = await tx.deliveries.lock(id)
      const leased = delivery?.lease_until != null && delivery.lease_until > real_now
      if (!delivery || leased) continue
      const canceled = cancelDelivery(delivery)
      if (canceled.isOk()) await tx.deliveries.update(canceled.value)
    }
    after = pending.length === step ? pending.at(-1)?.id : undefined
  } while (after !== undefined)
}
