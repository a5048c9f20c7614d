export type { PostgresStoreOptions } from './connections.ts'
export { postgresStore } from './postgres-store.ts'
