import { postgresStore } from '@quittance/store-postgres'
import { type ClientBase, Pool } from 'pg'
import type { Query, ShopDatabase } from './database.ts'

/** One pool, the engine's and the shop's: the engine's tables are in a schema of their own. */
export function openPostgres(connectionString: string): ShopDatabase {
  // Without this limit, a connection that a server accepts and never answers on would keep its place in the pool.
  const pool = new Pool({ connectionString, connectionTimeoutMillis: 10_000 })
  // A connection that is lost while idle is replaced; without a listener it would end the process.
  pool.on('error', () => {})
  return {
    store: postgresStore({ pool }),
    query: queryOn(pool),
    // The statements of one call are one transaction. Two that create the same table at once would collide, IF NOT EXISTS or not.
    async create(statements) {
      await pool.query(`SELECT pg_advisory_xact_lock(4300); ${statements}`)
    },
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const value = await work(queryOn(client), client)
        await client.query(value === null ? 'ROLLBACK' : 'COMMIT')
        client.release()
        return value
      } catch (fault) {
        client.release(true)
        throw fault
      }
    },
    within: (handle) => queryOn(handle as ClientBase),
    close: () => pool.end(),
  }
}

function queryOn(connection: Pool | ClientBase): Query {
  return async <Row>(sql: string, ...values: (string | number | null)[]) => {
    let place = 0
    const numbered = sql.replaceAll('?', () => `$${++place}`)
    return (await connection.query(numbered, values)).rows as Row[]
  }
}
