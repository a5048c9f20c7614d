import { join } from 'node:path'
import { iso, type Store } from '@quittance/core'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { startDispatcher } from '@quittance/webhooks'
import Database from 'better-sqlite3'
import pg from 'pg'
import { withReceiver } from './deliveries/with-receiver.ts'
import { fillHistory } from './history.ts'
import { withPostgres } from './postgres-server.ts'
import { elapsed, inParallel, type Row, sum } from './report.ts'
import { withFolder } from './scratch.ts'
import { must, openShop, savedCard } from './shop.ts'

const few = 1_000
const many = 1_000_000
const rounds = 6
const per_round = 500

/** What a payment and a delivery cost with a million of each before them, against a thousand. */
export function growth(): Promise<Row[]> {
  return withFolder((folder) =>
    withPostgres((postgres) =>
      withReceiver(async (url) => [
        ...(await compare('SQLite', (name) => onSqlite(join(folder, name)), url)),
        ...(await compare('Postgres', (name) => onPostgres(postgres, name), url)),
      ]),
    ),
  )
}

/** Where rows are, and how to access them without the store. */
interface Ground {
  store: Store
  deliveries: string
  run(sql: string): Promise<void>
  /** Completes what a bulk of writes leaves for later. */
  settle: string
  /** Completes what a round leaves for later, so that its cost does not fall on the next round. */
  endRound(): Promise<void>
}

function onSqlite(filename: string): Ground {
  const checkpoint = 'PRAGMA wal_checkpoint(TRUNCATE)'
  const run = async (sql: string) => {
    const db = new Database(filename)
    db.exec(sql)
    db.close()
  }
  return {
    store: sqliteStore({ filename }),
    deliveries: 'quittance_deliveries',
    run,
    settle: checkpoint,
    // A checkpoint comes with whichever commit fills the log: deliveries would pay for the pages of payments.
    endRound: () => run(checkpoint),
  }
}

function onPostgres(connectionString: string, schema: string): Ground {
  return {
    store: postgresStore({ connectionString, schema }),
    deliveries: `${schema}.deliveries`,
    async run(sql) {
      const client = new pg.Client({ connectionString })
      await client.connect()
      await client.query(sql)
      await client.end()
    },
    settle: 'VACUUM ANALYZE',
    endRound: async () => {},
  }
}

async function compare(name: string, open: (name: string) => Ground, url: string): Promise<Row[]> {
  const sides = [await fill(open('few'), url, few), await fill(open('many'), url, many)] as const
  const rows = figures(`${name}, all done`, await measure(...sides))
  const at = iso(Date.now() + 24 * 3_600_000)
  for (const { run, settle, deliveries } of sides) {
    await run(`UPDATE ${deliveries} SET status = 'pending', pending_of = event, next_attempt_at = '${at}'`)
    await run(settle)
  }
  rows.push(...figures(`${name}, all pending and not due`, await measure(...sides)))
  for (const { close } of sides) await close()
  return rows
}

async function fill({ store, run, settle, endRound, deliveries }: Ground, url: string, count: number) {
  const { engine, scope } = await openShop(store)
  const caller = await engine.caller(scope)
  must(await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] }))
  const cards: { payment_method: string; customer: string }[] = []
  while (cards.length < 64) {
    const id = await savedCard(engine, scope)
    const { customer } = must(await engine.payment_methods.retrieve(caller, { id }))
    cards.push({ payment_method: id, customer: customer ?? '' })
  }
  const pay = async (index: number, key = engine.ids.secret(22)) => {
    const payment_method = cards[index % cards.length]?.payment_method ?? ''
    const terms = { amount: 1_000, currency: 'USD' as const, payment_method }
    return must(await engine.payments.create(caller, terms, { idempotency_key: key }))
  }
  const payRound = async () => {
    await inParallel(per_round, 32, (index) => pay(index))
    await endRound()
  }
  const drain = async () => {
    const dispatcher = startDispatcher(engine)
    await dispatcher.drain()
    await dispatcher.stop()
    await endRound()
  }
  const { id } = await pay(0, 'model')
  await drain()
  await fillHistory({ store, scope, payment: id, key: 'model', cards }, count)
  await run(settle)
  return { run, settle, deliveries, payRound, drain, close: () => engine.close() }
}

type Side = Awaited<ReturnType<typeof fill>>

/** Payments first, which leave deliveries, then those; by turns, so that both sides run under the same conditions. */
async function measure(at_few: Side, at_many: Side) {
  const took = [at_few, at_many].map((side) => ({
    side,
    paying_ms: [] as number[],
    sending_ms: [] as number[],
  }))
  for (let round = 0; round <= rounds; round += 1) {
    for (const { side, paying_ms, sending_ms } of took) {
      paying_ms.push(await elapsed(side.payRound))
      sending_ms.push(await elapsed(side.drain))
    }
  }
  // The first round only warms up.
  const each_us = (of_rounds: number[]) => (sum(of_rounds.slice(1)) * 1000) / (rounds * per_round)
  return took.map(({ paying_ms, sending_ms }) => [each_us(paying_ms), each_us(sending_ms)] as const)
}

function figures(where: string, [at_few, at_many]: (readonly [number, number])[]): Row[] {
  const label = (count: number) => count.toLocaleString('en')
  return ['payment', 'delivery'].flatMap((what, index) => {
    const few_us = at_few?.[index] ?? 0
    const many_us = at_many?.[index] ?? 0
    return [
      { what: `${where}: a ${what} after ${label(few)}`, figure: `${few_us.toFixed(0)} us` },
      {
        what: `${where}: a ${what} after ${label(many)}`,
        figure: `${many_us.toFixed(0)} us`,
        ratio: many_us / few_us,
        goal: { at_most: 1.3 },
      },
    ]
  })
}
