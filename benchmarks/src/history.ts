import { createIds, iso, ok, type Scope, type Store, type Transaction } from '@quittance/core'
import { inParallel } from './report.ts'
import { must } from './shop.ts'

/** The database to fill, and a payment made and delivered there: its id, and its Idempotency-Key. */
export interface Past {
  store: Store
  scope: Scope
  payment: string
  key: string
  cards: readonly { payment_method: string; customer: string }[]
}

const batch = 2_000
const hour_ms = 3_600_000

/** All of it is younger than the three days for which keys are kept. */
const oldest_ms = 70 * hour_ms
const youngest_ms = hour_ms
const kept_ms = 72 * hour_ms

/**
 * Writes `count` payments of the past, each with its key, its event and the finished delivery of that event: copies of the
 * rows of a payment that the engine has made and delivered, with other ids and times, and the cards in turn.
 */
export async function fillHistory(past: Past, count: number): Promise<void> {
  const model = await readModel(past)
  const ids = createIds()
  const now_ms = Date.now()
  const spread_ms = (oldest_ms - youngest_ms) / count
  const copy = (index: number) => {
    const at_ms = Math.floor(now_ms - oldest_ms + index * spread_ms)
    const at = iso(at_ms)
    const id = ids.prefixed('payment', false, at_ms)
    const event = ids.prefixed('event', false, at_ms)
    const body = model.event.body.replaceAll(model.payment.id, id).replaceAll(model.event.id, event)
    const due_at = iso(at_ms + kept_ms)
    const card = past.cards[index % past.cards.length]
    return {
      payment: { ...model.payment, ...card, id, created_at: at, succeeded_at: at, changed_at: at },
      event: { ...model.event, id: event, created_at: at, subject: id, body },
      key: {
        ...model.key,
        id: ids.secret(22),
        intent: id,
        answer_event: event,
        created_at: at,
        due_at,
      },
      delivery: {
        ...model.delivery,
        id: ids.uuid(at_ms),
        event,
        emit_of: event,
        created_at: at,
        last_attempt_at: at,
      },
    }
  }
  await inParallel(Math.ceil(count / batch), 2, async (index) => {
    const length = Math.min(batch, count - index * batch)
    const copies = Array.from({ length }, (_, place) => copy(index * batch + place))
    must(await past.store.transaction(past.scope, (tx) => insertAll(tx, copies)))
  })
}

type Model = Awaited<ReturnType<typeof readModel>>

async function insertAll(tx: Transaction, copies: readonly Model[]) {
  for (const { payment, event, key, delivery } of copies) {
    await tx.payments.insert(payment)
    await tx.events.insert(event)
    await tx.idempotency_keys.insert(key)
    await tx.deliveries.insert(delivery)
  }
  return ok(undefined)
}

function readModel({ store, scope, ...made }: Past) {
  return store.read(scope, async (rows) => {
    const payment = await rows.payments.get(made.payment)
    const key = await rows.idempotency_keys.get(made.key)
    const event = await rows.events.get(key?.answer_event ?? '')
    const [delivery] = await rows.deliveries.page({ where: { event: event?.id ?? '' }, limit: 1 })
    if (!payment || !event || !key || delivery?.status !== 'succeeded') throw new Error('there is no model')
    return { payment, event, key, delivery }
  })
}
