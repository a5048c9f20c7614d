export type { SqliteStoreOptions } from './connections.ts'
export type { SqliteDatabase, SqliteDriverName } from './database.ts'
export { sqliteStore } from './sqlite-store.ts'
