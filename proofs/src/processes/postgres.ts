import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type PostgresServer, postgresServer } from '../../../packages/store-postgres/test/postgres-server.ts'

/** A schema of its own on the server of TEST_POSTGRES_URL, or on one that is started for it. */
export interface Ground {
  connectionString: string
  schema: string
  pool: pg.Pool
  /** Leaves nothing behind. */
  close(): Promise<void>
}

export async function openGround(): Promise<Ground> {
  const server: PostgresServer = await postgresServer()
  return groundOn(new URL('postgres', server.url).href, () => server.stop())
}

export function groundOn(connectionString: string, stop: () => Promise<void>): Ground {
  const schema = `proof_${randomUUID().slice(0, 8)}`
  const pool = new pg.Pool({ connectionString, max: 2 })
  pool.on('error', () => {})
  return {
    ...{ connectionString, schema, pool },
    async close() {
      await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
      await pool.end()
      await stop()
    },
  }
}
