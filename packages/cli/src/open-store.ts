import type { Store } from '@quittance/core'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import type { Settings } from './settings.ts'

/** The store of `QUITTANCE_STORE`. */
export function openStore({ store }: Settings): Store {
  return 'filename' in store ? sqliteStore(store) : postgresStore(store)
}
