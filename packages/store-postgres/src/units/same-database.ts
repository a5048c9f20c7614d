import type { SqlDriver } from '@quittance/store-sql'
import { connect, end } from '../beside.ts'
import type { Connections } from '../connections.ts'

/** The name by which a pooler knows a database may be another; its id, on another server, may be that of any. */
const database = {
  sql: `SELECT oid || ' ' || datname AS database FROM pg_database WHERE datname = current_database()`,
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
  let own: Promise<unknown> | undefined
  return async (native, driver) => {
    if (connections.madeHere(native) || checked.has(native)) return
    own ??= askBeside(connections).catch((fault) => {
      own = undefined
      throw fault
    })
    const [theirs] = await driver.all(database, [])
    if (theirs?.database !== (await own))
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
