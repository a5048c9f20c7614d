import { type Engine, iso, ok, type Scope, type Store } from '@quittance/core'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { type DispatcherOptions, startDispatcher } from '@quittance/webhooks'
import { redisQueue } from '@quittance/webhooks/redis'
import { Redis } from 'ioredis'
import { must, openShop } from '../shop.ts'
import { type Contender, eventBody, type Ground } from './contender.ts'

export const onSqlite = (ground: Ground) => quittance(ground, sqliteStore({ filename: ground.file }))

export const onPostgres = (ground: Ground) =>
  quittance(ground, postgresStore({ connectionString: ground.postgres, schema: ground.name }))

/** Rows on a file; who files tells who dispatches through Redis. */
export function onRedis(ground: Ground) {
  const queue = redisQueue(new Redis(ground.redis), { prefix: ground.name })
  return quittance(ground, sqliteStore({ filename: ground.file }), { queue })
}

/** Ten run at a time per workspace, so fifty need five workspaces. */
async function quittance(
  { url, concurrency }: Ground,
  store: Store,
  options: DispatcherOptions = {},
): Promise<Contender> {
  const { engine, scope } = await openShop(store)
  const merchants = [await openMerchant(engine, scope, url)]
  while (merchants.length < concurrency / 10) {
    const { id: workspace } = await engine.admin.workspaces.create({ name: 'Another' })
    merchants.push(await openMerchant(engine, { workspace, livemode: false }, url))
  }
  const unfiled: string[] = []
  const start = () => startDispatcher(engine, { ...options, concurrency })
  return {
    async fill(count) {
      for (const { of, endpoint } of merchants) {
        for (let filed = 0; filed < count / merchants.length; filed += batch)
          await seed({ engine, store, of }, { count: batch, endpoint })
      }
    },
    async file() {
      const [{ caller, endpoint } = missing()] = merchants
      const id = unfiled.pop() ?? missing()
      must(await engine.events.resend(caller, { id, endpoint }))
      return id
    },
    drain: () => start().drain(),
    async start() {
      const [{ of } = missing()] = merchants
      unfiled.push(...(await seed({ engine, store, of }, { count: trickled })))
      start()
    },
  }
}

async function openMerchant(engine: Engine, of: Scope, url: string) {
  const caller = await engine.caller(of)
  const created = await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] })
  return { of, caller, endpoint: must(created).id }
}

const batch = 500

/** Events without a delivery, for `file` to resend: one transaction each, as a peer's has. */
const trickled = 2_000

/** Events as the engine files them, with a delivery of each where an endpoint is named; answers their ids. */
async function seed(
  { engine, store, of }: { engine: Engine; store: Store; of: Scope },
  { count, endpoint }: { count: number; endpoint?: string },
): Promise<string[]> {
  const now_ms = engine.clock.now()
  const at = iso(now_ms)
  const ids = Array.from({ length: count }, () => engine.ids.prefixed('event', false, now_ms))
  const seeded = await store.transaction(of, async (tx) => {
    for (const id of ids) {
      const row = { ...of, id, created_at: at, subject: 'pay_test', body: eventBody(id) }
      await tx.events.insert({ ...row, type: 'payment.succeeded' })
      if (endpoint === undefined) continue
      const name = { id: engine.ids.uuid(now_ms), event: id, emit_of: id, pending_of: id }
      await tx.deliveries.insert({ ...unsent, ...of, ...name, endpoint, created_at: at, next_attempt_at: at })
    }
    return ok(ids)
  })
  return must(seeded)
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
} as const

function missing(): never {
  throw new Error('there is no merchant, or no event left to file')
}
