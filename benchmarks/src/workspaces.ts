import { join } from 'node:path'
import type { Store } from '@quittance/core'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { startDispatcher } from '@quittance/webhooks'
import { openMerchant, seed } from './deliveries/seed.ts'
import { withReceiver } from './deliveries/with-receiver.ts'
import { withPostgres } from './postgres-server.ts'
import { elapsed, inParallel, type Row, sum } from './report.ts'
import { withFolder } from './scratch.ts'
import { openShop } from './shop.ts'

const few = 1_000
const many = 10_000
const rounds = 3

/** What a delivery costs while as many workspaces wait for one each, as after an outage. */
export function workspaces(): Promise<Row[]> {
  return withFolder((folder) =>
    withPostgres((connectionString) =>
      withReceiver(async (url) => [
        ...(await compare('SQLite', url, (name) => sqliteStore({ filename: join(folder, name) }))),
        ...(await compare('Postgres', url, (schema) => postgresStore({ connectionString, schema }))),
      ]),
    ),
  )
}

async function compare(name: string, url: string, open: (name: string) => Store): Promise<Row[]> {
  const few_us = await measure(open('few'), url, few)
  const many_us = await measure(open('many'), url, many)
  const what = (count: number) => `${name}: a delivery while ${count.toLocaleString('en')} workspaces wait`
  return [
    { what: what(few), figure: `${few_us.toFixed(0)} us` },
    { what: what(many), figure: `${many_us.toFixed(0)} us`, ratio: many_us / few_us },
  ]
}

async function measure(store: Store, url: string, count: number): Promise<number> {
  const { engine } = await openShop(store)
  const merchants: Awaited<ReturnType<typeof openMerchant>>[] = []
  await inParallel(count, 32, async () => {
    const { id: workspace } = await engine.admin.workspaces.create({ name: 'One of many' })
    merchants.push(await openMerchant(engine, { workspace, livemode: false }, url))
  })
  const took_ms: number[] = []
  // As many deliveries for few as for many. The first round only warms up.
  for (let round = 0; round <= (rounds * many) / count; round += 1) {
    await inParallel(count, 32, async (index) => {
      const { of, endpoint } = merchants[index] ?? missing()
      await seed({ engine, store, of }, { count: 1, endpoint })
    })
    const dispatcher = startDispatcher(engine)
    took_ms.push(await elapsed(() => dispatcher.drain()))
    await dispatcher.stop()
  }
  await engine.close()
  return (sum(took_ms.slice(1)) * 1000) / (rounds * many)
}

function missing(): never {
  throw new Error('there is no such merchant')
}
