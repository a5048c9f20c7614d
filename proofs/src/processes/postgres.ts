import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type PostgresServer, postgresServer } from '../../../packages/store-postgres/test/postgres-server.ts'
import { embeddedPostgres } from '../../../tests/embedded-postgres.ts'
import { until } from './lanes.ts'

/** A schema of its own, and a pool with which to inspect the database. */
export interface ProofDatabase {
  connectionString: string
  schema: string
  pool: pg.Pool
  /** Removes everything that was created. */
  close(): Promise<void>
}

/** On the server of TEST_POSTGRES_URL, or on one that is started for it. */
export async function openDatabase(): Promise<ProofDatabase> {
  const server = await postgresServer()
  return databaseOn(server)
}

/** A database whose server is made to crash. It syncs commits to the disk, as in production. */
export interface FragileDatabase extends ProofDatabase {
  /** Ends Postgres at once, as `pg_ctl stop -m immediate` does: nothing is finished, nothing is flushed. */
  crash(): Promise<void>
  /** Resolves when Postgres accepts connections again. */
  start(): Promise<void>
}

export async function openFragileDatabase(): Promise<FragileDatabase> {
  const server = await embeddedPostgres(['fsync=on', 'synchronous_commit=on'])
  return {
    ...databaseOn(server),
    async crash() {
      const pid = Number(readFileSync(join(server.folder, 'postmaster.pid'), 'utf8').split('\n')[0])
      process.kill(pid, 'SIGQUIT')
      const gone = await until(() => !isAlive(pid), { patience_ms: 30_000, look_ms: 5 })
      if (!gone) throw new Error('Postgres does not end')
    },
    start: server.start,
  }
}

function databaseOn({ url, stop }: PostgresServer): ProofDatabase {
  const connectionString = new URL('postgres', url).href
  const schema = `proof_${randomUUID().slice(0, 8)}`
  const pool = new pg.Pool({ connectionString, max: 2 })
  pool.on('error', () => {})
  return {
    connectionString,
    schema,
    pool,
    async close() {
      await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
      await pool.end()
      await stop()
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
