import { stopDelivery } from '../deliveries/delivery-machine.ts'
import type { Unit } from '../kernel/operation.ts'

/** Cancels the pending deliveries of an endpoint that was just disabled or deleted, except those on the wire. */
export async function cancelPending({ tx, real_now }: Unit, endpoint: { id: string }): Promise<void> {
  const step = 500
  let after: string | undefined
  do {
    const pending = await tx.deliveries.page({
      where: { endpoint: endpoint.id, status: 'pending' },
      after,
      limit: step,
    })
    // In the order of ids, as everybody locks; together, so that a remote store answers in one round trip.
    const ids = pending.map(({ id }) => id).reverse()
    for (const delivery of await Promise.all(ids.map((id) => tx.deliveries.lock(id)))) {
      const stopped = delivery && stopDelivery(delivery, real_now)
      if (stopped?.isOk()) await tx.deliveries.update(stopped.value)
    }
    after = pending.length === step ? pending.at(-1)?.id : undefined
  } while (after !== undefined)
}
