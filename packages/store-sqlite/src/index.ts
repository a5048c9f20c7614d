export { type SqliteStoreOptions, sqliteStore } from './sqlite-store.ts'
