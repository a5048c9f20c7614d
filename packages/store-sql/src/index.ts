export { ClaimWindow } from './claim-window.ts'
export { type Column, type ColumnKind, columnsOf, tableNames, timedTables } from './columns.ts'
export type { AnyDatabase, Dialect, Locks, ManyRows, Statement } from './dialect.ts'
export { isKyselyTransaction, type KyselyTransaction, kyselyDriver } from './kysely-transaction.ts'
export {
  due,
  type FoundKey,
  findApiKey,
  nextDue,
  readApiKey,
  workspaces,
} from './lookups.ts'
export type { RowCodec, SqlRow } from './row-codec.ts'
export { inSavepoint, savepoint } from './savepoint.ts'
export type { Sharing, SqlDriver, SqlReader, SqlSession, SqlUnit } from './sql-driver.ts'
export { sqlReads, sqlUnit } from './sql-sessions.ts'
export { Statements, type TableStatements } from './statements.ts'
