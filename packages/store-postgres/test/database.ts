import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

export interface Database {
  /** Of a database that these tests have to themselves. */
  readonly connectionString: string
  /** A connection pool of the tests' own, to look at the database with. */
  readonly pool: pg.Pool
  /** A schema that does not exist yet. */
  schema(): string
  drop(schema: string): Promise<void>
  /** How many sessions have waited for an advisory lock for longer than this. */
  waitingFor(least_ms: number): Promise<number>
  /** Holds a schema's lock of migrations, as a process that migrates it does, until the returned function is called. */
  holdMigrations(schema: string): Promise<() => Promise<void>>
}

/** A database for the tests of this file, dropped after them. */
export function testDatabase(): () => Database {
  let opened: { database: Database; close(): Promise<void> } | undefined
  beforeAll(async () => {
    opened = await open()
  }, 120_000)
  afterAll(() => opened?.close(), 60_000)
  return () => {
    if (opened === undefined) throw new Error('the database is open only inside a test')
    return opened.database
  }
}

async function open(): Promise<{ database: Database; close(): Promise<void> }> {
  const server = await postgresServer()
  const name = `quittance_test_${randomUUID().replaceAll('-', '')}`
  await administer(server, `CREATE DATABASE ${name}`)
  const connectionString = new URL(name, server.url).href
  const pool = new pg.Pool({ connectionString })
  pool.on('error', () => {})
  let schemas = 0
  return {
    database: {
      connectionString,
      pool,
      schema: () => `s${++schemas}`,
      drop: async (schema) => void (await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)),
      async waitingFor(least_ms) {
        const { rows } = await pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'
          AND clock_timestamp() - query_start > $1 * interval '1 ms'`,
          [least_ms],
        )
        return rows.length
      },
      async holdMigrations(schema) {
        const lock = [`quittance migrations of ${schema}`]
        const holder = await pool.connect()
        await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', lock)
        return async () => {
          await holder.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', lock)
          holder.release()
        }
      },
    },
    async close() {
      await pool.end()
      await administer(server, left(name))
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`)
      await server.stop()
    },
  }
}

/**
 * Waits, three seconds at most, for connections that were told to end: a pool of pg does not, and to be thrown out
 * meanwhile is a fault that nobody listens to any more.
 */
const left = (name: string) => `
DO $$ BEGIN
  FOR n IN 1..300 LOOP
    PERFORM pg_stat_clear_snapshot();
    EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '${name}' AND backend_type = 'client backend');
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$`

async function administer(server: PostgresServer, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: new URL('postgres', server.url).href })
  await client.connect()
  await client.query(statement)
  await client.end()
}
