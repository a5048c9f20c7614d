import type { SqlDriver } from '@quittance/store-sql'
import { connect, end } from '../beside.ts'
import type { Connections } from '../connections.ts'

/**
 * The name by which a pooler knows a database may be another; its id and name, on another server, may be those of any. No two
 * servers have started in the same microsecond.
 */
const database = {
  sql: `SELECT oid || ' ' || datname || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS "database"
FROM pg_database WHERE datname = current_database()`,
}

/** The longest wait for a connection, and for its answer. */
const limit_ms = 10_000

/**
 * Throws if a transaction of the host is in another database than the store's, which may have the same tables. Asks once for
 * each client or transaction that did not come from the store's pool.
 */
export function databaseCheck(
  connections: Connections,
): (native: object, driver: SqlDriver) => Promise<void> {
  const checked = new WeakSet<object>()
  let own: unknown
  let asking: Promise<unknown> | undefined
  const ask = async () => {
    asking ??= askBeside(connections).finally(() => {
      asking = undefined
    })
    own = await asking
    return own
  }
  return async (native, driver) => {
    if (connections.madeHere(native) || checked.has(native)) return
    const [theirs] = await driver.all(database, [])
    // What is known is of the past: the server has started again, or its database was replaced by a copy.
    if (theirs?.database !== own && theirs?.database !== (await ask()))
      throw new Error('This transaction is in another database than the store’s.')
    checked.add(native)
  }
}

/** On a connection of its own: the host may hold all of the pool. */
async function askBeside(connections: Connections): Promise<unknown> {
  const client = connections.beside()
  client.on('error', () => {})
  try {
    await connect(client, limit_ms)
    const { rows } = await client.query({ text: database.sql, ...{ query_timeout: limit_ms } })
    return rows[0]?.database
  } finally {
    await end(client)
  }
}
