import { stopDelivery } from '../deliveries/delivery-machine.ts'
import type { Unit } from '../kernel/operation.ts'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'

/** How many deliveries one unit of work cancels: it holds the locks of its workspace, and on SQLite the event loop. */
const canceled_at_once = 1_000

/** How many are read and locked together, so that a remote store answers in one round trip. */
const page_rows = 500

/**
 * Cancels up to `most` pending deliveries of an endpoint, except those on the wire, whose attempts are their last. Returns the
 * endpoint to be saved: due at once if more are left, so that the reconciler goes on.
 */
export async function cancelPending(
  { tx, now, real_now }: Unit,
  endpoint: WebhookEndpointRow,
  most = canceled_at_once,
): Promise<WebhookEndpointRow> {
  let canceled = 0
  let after: string | undefined
  do {
    if (canceled >= most) return { ...endpoint, due_at: now }
    const where = { endpoint: endpoint.id, status: 'pending' as const }
    const pending = await tx.deliveries.page({ where, after, limit: page_rows })
    // In the order of ids, as in every unit.
    const ids = pending.map(({ id }) => id).reverse()
    for (const delivery of await Promise.all(ids.map((id) => tx.deliveries.lock(id)))) {
      const stopped = delivery && stopDelivery(delivery, real_now)
      if (!stopped?.isOk()) continue
      await tx.deliveries.update(stopped.value)
      if (stopped.value.status === 'canceled') canceled += 1
    }
    after = pending.length === page_rows ? pending.at(-1)?.id : undefined
  } while (after !== undefined)
  return { ...endpoint, due_at: null }
}
