import type { Units } from '../kernel/operation.ts'
import type { Ids } from '../ports/ids.ts'
import type { Scope, Store } from '../ports/store.ts'
import type { SyncPorts } from '../sync-runs/step-sync.ts'

/** What the back office needs of the engine: ports, and units of work in any scope. */
export interface BackOfficePorts extends SyncPorts {
  store: Store
  ids: Ids
  unitsOf(scope: Scope): Units
}
