import { type Engine, iso, ok, type Scope, type Store } from '@quittance/core'
import { must } from '../shop.ts'
import { eventBody } from './contender.ts'

/** An endpoint that wants every event. */
export async function openMerchant(engine: Engine, of: Scope, url: string) {
  const caller = await engine.caller(of)
  const created = await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] })
  return { of, caller, endpoint: must(created).id }
}

/** Events as the engine files them, with a delivery for each. */
export async function seed(
  { engine, store, of }: { engine: Engine; store: Store; of: Scope },
  { count, endpoint }: { count: number; endpoint: string },
): Promise<void> {
  const now_ms = engine.clock.now()
  const at = iso(now_ms)
  const ids = Array.from({ length: count }, () => engine.ids.prefixed('event', false, now_ms))
  const seeded = await store.transaction(of, async (tx) => {
    for (const id of ids) {
      const row = { ...of, id, created_at: at, subject: 'pay_test', body: eventBody(id) }
      await tx.events.insert({ ...row, type: 'payment.succeeded' })
      const name = { id: engine.ids.uuid(now_ms), event: id, emit_of: id, pending_of: id }
      await tx.deliveries.insert({ ...unsent, ...of, ...name, endpoint, created_at: at, next_attempt_at: at })
    }
    return ok(undefined)
  })
  must(seeded)
}

const unsent = {
  origin: 'emit',
  status: 'pending',
  attempt_count: 0,
  last_attempt_at: null,
  last_response_status: null,
  last_error: null,
  lease: 0,
  lease_until: null,
  stopped: false,
} as const
