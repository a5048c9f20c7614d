export type { SqliteStoreOptions } from './connections.ts'
export { sqliteStore } from './sqlite-store.ts'
