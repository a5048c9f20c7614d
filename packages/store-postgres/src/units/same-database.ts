import type { SqlDriver, SqlRow } from '@quittance/store-sql'
import type { Connections } from '../connections.ts'
import { connect, end } from '../dedicated-client.ts'
import { bounded } from './one-trip.ts'

/**
 * Asks three things at once, because on kysely each statement is a round trip: which database this is, whether the driver
 * changes what it reads, and, without an answer, for a limit for waits for locks until the transaction ends.
 *
 * Only the server knows which database this is: a pooler may give it another name. A database on another server may have the
 * same name and id, but no two servers have started in the same microsecond.
 */
const probe = {
  sql: `SELECT oid || ' ' || datname || ' ' || extract(epoch FROM pg_postmaster_start_time()) AS "the_database",
  NULL AS "the_null", '{"a_key":null}'::json AS "the_json", ${bounded}
  FROM pg_database WHERE datname = current_database()`,
}

const changed =
  'This transaction changes what it reads, names of columns or values, as a `transform` of postgres.js does: join one that does not.'

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
  const ask = () => {
    asking ??= askOnItsOwn(connections).finally(() => {
      asking = undefined
    })
    return asking
  }
  return async (native, driver) => {
    if (connections.madeHere(native) || checked.has(native)) return
    const [theirs = {}] = await driver.all(probe, [])
    if (!isUnchanged(theirs)) throw new TypeError(changed)
    // What is known is of the past: the server has started again, or its database was replaced by a copy.
    if (theirs.the_database !== own) own = await ask()
    if (own === null) return
    if (theirs.the_database !== own)
      throw new Error('This transaction is in another database than the store’s.')
    checked.add(native)
  }
}

/** Whether a driver of the host gives columns, nulls and keys as they are. It may give json as text. */
function isUnchanged({ the_database, the_null, the_json }: SqlRow): boolean {
  const json = typeof the_json === 'string' ? the_json : JSON.stringify(the_json)
  return typeof the_database === 'string' && the_null === null && json === '{"a_key":null}'
}

/**
 * On a connection of its own, because the host may hold all of the pool. Null where the server has none left: the transaction
 * must not fail for that.
 */
async function askOnItsOwn(connections: Connections): Promise<unknown> {
  const client = connections.dedicatedClient()
  client.on('error', () => {})
  try {
    await connect(client, limit_ms)
    const { rows } = await client.query({ text: probe.sql, ...{ query_timeout: limit_ms } })
    return rows[0]?.the_database
  } catch {
    return null
  } finally {
    await end(client)
  }
}
