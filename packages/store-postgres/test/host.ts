import { randomUUID } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { begunByKysely, begunControlled, type HostTables } from '../../store-sql/test/kysely-host.ts'
import type { Host, HostTransaction } from '../../testing/src/store/open-store.ts'
import { postgresStore } from '../src/postgres-store.ts'

export const kinds = ['a client of pg', 'a client of a pool', 'of kysely', 'of kysely, controlled'] as const

/** The host beside the store in the schema `of`, with a table of its own in `schema`, which is found first. */
export async function openHost(
  connectionString: string,
  { of, schema }: { of: string; schema: string },
): Promise<Host & { close(): Promise<void> }> {
  const config = { connectionString, options: `-c search_path=${schema}` }
  const pool = new pg.Pool({ ...config, max: 2 })
  await pool.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
  await pool.query('CREATE TABLE host_orders (id TEXT PRIMARY KEY)')
  const client = new pg.Client(config)
  await client.connect()
  const kysely = new Kysely<HostTables>({ dialect: new PostgresDialect({ pool }) })
  const begin: Record<string, () => Promise<HostTransaction>> = {
    [kinds[0]]: () => begun(client),
    [kinds[1]]: async () => begunOnPool(await pool.connect()),
    [kinds[2]]: () => begunByKysely(kysely),
    [kinds[3]]: () => begunControlled(kysely),
  }
  return {
    async begin(kind) {
      const opening = begin[kind]
      if (opening === undefined) throw new Error(`there is no kind ${kind}`)
      return opening()
    },
    async beginElsewhere() {
      const name = `elsewhere_${randomUUID().replaceAll('-', '')}`
      await client.query(`CREATE DATABASE ${name}`)
      const elsewhere = new URL(name, connectionString).href
      const twin = postgresStore({ connectionString: elsewhere, schema: of })
      await twin.migrate()
      await twin.close()
      const stranger = new pg.Client({ connectionString: elsewhere })
      await stranger.connect()
      const { native, rollback } = await begun(stranger)
      const leave = async () => {
        await stranger.end()
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
      }
      return { native, rollback: () => rollback().finally(leave) }
    },
    // The store's own connections do not look for tables in the host's schema.
    write: async (native, id) =>
      void (await (native as pg.ClientBase).query(`INSERT INTO "${schema}".host_orders VALUES ($1)`, [id])),
    orders: async () =>
      (await pool.query<{ id: string }>('SELECT id FROM host_orders')).rows.map(({ id }) => id),
    async close() {
      await client.end()
      await pool.end()
    },
  }
}

async function begun(client: pg.ClientBase): Promise<HostTransaction> {
  await client.query('BEGIN')
  return {
    native: client,
    order: async (id) => void (await client.query('INSERT INTO host_orders VALUES ($1)', [id])),
    commit: async () => void (await client.query('COMMIT')),
    rollback: async () => void (await client.query('ROLLBACK')),
  }
}

/** Given back to its pool when the transaction ends. */
async function begunOnPool(client: pg.PoolClient): Promise<HostTransaction> {
  const transaction = await begun(client)
  return {
    ...transaction,
    commit: () => transaction.commit().finally(() => client.release()),
    rollback: () => transaction.rollback().finally(() => client.release()),
  }
}
