import type { Caller } from '../kernel/operation.ts'
import type { JoinedStore, Scope } from '../ports/store.ts'
import { createJoinedAdmin, type JoinedAdmin } from './admin.ts'
import { createApi, type JoinedApi } from './api.ts'
import { callerOf } from './request/caller.ts'
import type { Services, UnitServices } from './services.ts'
import { inTurn } from './unit-of-work/turns.ts'

/**
 * The engine inside a transaction of the host: everything that does not call the processor. It commits or rolls back with
 * the host's own rows. A refusal or a thrown fault undoes only its own unit of work; the host decides about the rest.
 * Operations that call the processor are not in the type, and throw if called all the same.
 */
export interface JoinedEngine extends JoinedApi {
  readonly admin: JoinedAdmin
  /** As on the engine, but also finds a workspace that was created in this transaction. */
  caller(scope: Scope): Promise<Caller>
  /**
   * For the host to call after its commit, if deliveries were filed here: wakes the dispatchers of this process, and
   * announces them to other processes. Otherwise a dispatcher finds them at its next sweep, within its `pollMs`.
   */
  committed(): void
}

export function joinTransaction(services: Services, native: unknown): JoinedEngine {
  const store = oneByOne(services.store.join(native), native as object)
  let filed = false
  const joined: UnitServices = {
    ...services,
    store,
    given_store: store,
    joined: true,
    // When the host commits is not known here.
    bookers: new Set(),
    wake() {
      filed = true
    },
  }
  return {
    ...createApi(joined),
    admin: createJoinedAdmin(joined),
    caller: (scope) => callerOf(store, scope),
    committed() {
      if (filed) services.wake()
      filed = false
    },
  }
}

function oneByOne(store: JoinedStore, native: object): JoinedStore {
  return {
    transaction: (scope, work) => inTurn(native, () => store.transaction(scope, work)),
    read: (scope, work) => inTurn(native, () => store.read(scope, work)),
  }
}
