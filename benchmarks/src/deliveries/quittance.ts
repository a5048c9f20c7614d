import type { Store } from '@quittance/core'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { type DispatcherOptions, startDispatcher } from '@quittance/webhooks'
import { redisQueue } from '@quittance/webhooks/redis'
import { Redis } from 'ioredis'
import { inParallel } from '../report.ts'
import { must, openShop } from '../shop.ts'
import type { Contender, Ground } from './contender.ts'
import { openMerchant, seed } from './seed.ts'

export const onSqlite = (ground: Ground) => quittance(ground, sqliteStore({ filename: ground.file }))

export const onPostgres = (ground: Ground) =>
  quittance(ground, postgresStore({ connectionString: ground.postgres, schema: ground.name }))

/** Rows in a file; the process that files wakes the one that dispatches through Redis. */
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
  /** The event of each checkout session that has expired. */
  const events = new Map<string, string>()
  const { engine, scope } = await openShop(store, {
    on: { 'checkout_session.expired': ({ id, data }) => void events.set(data.object.id, id) },
  })
  const merchants = [await openMerchant(engine, scope, url)]
  while (merchants.length < concurrency / 10) {
    const { id: workspace } = await engine.admin.workspaces.create({ name: 'Another' })
    merchants.push(await openMerchant(engine, { workspace, livemode: false }, url))
  }
  const sessions: string[] = []
  const start = () => startDispatcher(engine, { ...options, concurrency })
  return {
    async fill(count) {
      for (const { of, endpoint } of merchants) {
        for (let filed = 0; filed < count / merchants.length; filed += batch)
          await seed({ engine, store, of }, { count: batch, endpoint })
      }
    },
    async file() {
      const [{ caller } = missing()] = merchants
      const id = sessions.pop() ?? missing()
      must(await engine.checkout_sessions.expire(caller, { id }))
      return events.get(id) ?? missing()
    },
    drain: () => start().drain(),
    async start() {
      const [{ caller } = missing()] = merchants
      await inParallel(trickled, 32, async () => {
        sessions.push(must(await engine.checkout_sessions.create(caller, page)).id)
      })
      start()
    },
  }
}

const batch = 500

/** Checkout sessions for `file` to expire: a row, its event and the delivery in one transaction. */
const trickled = 1_500

/** The event of its expiry has about 1.2 KB. */
const page = {
  amount: 1_000,
  currency: 'USD' as const,
  success_url: 'https://shop.example.com/thanks',
  cancel_url: 'https://shop.example.com/cart',
  metadata: { text: 'x'.repeat(480) },
}

function missing(): never {
  throw new Error('there is no merchant, or no checkout session left to expire')
}
