import { CompiledQuery, type QueryResult, type Transaction } from 'kysely'
import type { SqlRow } from './row-codec.ts'
import type { SqlDriver } from './sql-driver.ts'

/** A transaction that the host began with kysely. Known by its shape: the host may use another copy of kysely. */
export type KyselyTransaction = Pick<
  Transaction<unknown>,
  'executeQuery' | 'isTransaction' | 'withoutPlugins'
>

/** Throws for a kysely instance outside a transaction, because there is nothing to join. */
export function isKyselyTransaction(native: unknown): native is KyselyTransaction {
  if (typeof native !== 'object' || native === null || !('executeQuery' in native)) return false
  if ('isTransaction' in native && native.isTransaction === true) return true
  throw new TypeError(
    'This kysely is in no transaction: join the one that `transaction().execute` hands over.',
  )
}

/** Runs statements in a kysely transaction, each in a round trip of its own. The host's plugins do not see them. */
export function kyselyDriver(transaction: KyselyTransaction): SqlDriver {
  const plain = transaction.withoutPlugins()
  const execute = (sql: string, parameters: unknown[]): Promise<QueryResult<SqlRow>> =>
    plain.executeQuery<SqlRow>(CompiledQuery.raw(sql, parameters))
  const run: SqlDriver['run'] = async ({ sql }, parameters) =>
    Number((await execute(sql, parameters)).numAffectedRows ?? 0)
  return {
    all: async ({ sql }, parameters) => (await execute(sql, parameters)).rows.map(withNumbers),
    run,
    write: run,
  }
}

/** For a host that reads integers as bigints: ours are exact as numbers. */
function withNumbers(row: SqlRow): SqlRow {
  for (const column in row) if (typeof row[column] === 'bigint') row[column] = Number(row[column])
  return row
}
