import type { Caller } from '../kernel/operation.ts'
import { ResultAsync } from '../kernel/result.ts'
import type { JoinedStore, Scope } from '../ports/store.ts'
import { createJoinedAdmin, type JoinedAdmin } from './admin.ts'
import { createApi, type JoinedApi } from './api.ts'
import { callerOf } from './authenticate.ts'
import type { Services, UnitServices } from './services.ts'
import { inTurn } from './turns.ts'

/**
 * The engine inside a transaction of the host's: what does not ask the processor, and commits or vanishes with the
 * host's own rows. A refusal undoes its own unit of work only, a fault that is thrown does too; whether the rest
 * stays, the host decides. What asks the processor is not among its methods, and throws when it is called all the same.
 */
export interface JoinedEngine extends JoinedApi {
  readonly admin: JoinedAdmin
  /** As on the engine; a workspace that was made in this transaction is found. */
  caller(scope: Scope): Promise<Caller>
  /**
   * For the host to call once it has committed: wakes the dispatchers of this process, if deliveries were filed here.
   * Without it the deliveries are found by a dispatcher's next look, within its `pollMs`.
   */
  committed(): void
}

export function joinTransaction(services: Services, native: unknown): JoinedEngine {
  const store = oneByOne(services.store.join(native), native as object)
  let filed = false
  const joined: UnitServices = {
    ...services,
    store,
    joined: true,
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
    transaction: (scope, work) =>
      new ResultAsync(inTurn(native, async () => await store.transaction(scope, work))),
    read: (scope, work) => inTurn(native, () => store.read(scope, work)),
  }
}
