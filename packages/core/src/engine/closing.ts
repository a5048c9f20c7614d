import type { Store } from '../ports/store.ts'
import type { Engine } from './engine.ts'
import type { Services } from './services.ts'

/**
 * The store until the engine is closed: later calls reject, even if the database is the host's and stays open. Closing waits
 * for the charges in flight, and no other is begun: nobody would record its outcome.
 */
export function closing(
  given_store: Store,
): { opened: Pick<Services, 'store' | 'given_store' | 'keepOpen'> } & Pick<Engine, 'close' | 'isClosed'> {
  let isClosing = false
  let isClosed = false
  let asking = 0
  const answered = Promise.withResolvers<void>()
  const refuse = () => Promise.reject(new Error('The engine has been closed.'))
  const asked = <Answer>(ask: () => Promise<Answer>) => (isClosing && asking === 0 ? refuse() : ask())
  const keepOpen = async <Answer>(ask: () => Promise<Answer>) => {
    if (isClosing) return refuse()
    asking += 1
    try {
      return await ask()
    } finally {
      asking -= 1
      if (asking === 0 && isClosing) answered.resolve()
    }
  }
  const close = async () => {
    isClosing = true
    if (asking > 0) await answered.promise
    await given_store.close()
    isClosed = true
  }
  const store: Store = {
    transaction: (scope, work) => asked(() => given_store.transaction(scope, work)),
    join(native) {
      const joined = given_store.join(native)
      // In a transaction that is open already: a listener's unit ends before the store is closed.
      const begun = <Answer>(ask: () => Promise<Answer>) => (isClosed ? refuse() : ask())
      return {
        transaction: (scope, work) => begun(() => joined.transaction(scope, work)),
        read: (scope, work) => begun(() => joined.read(scope, work)),
      }
    },
    read: (scope, work) => asked(() => given_store.read(scope, work)),
    findApiKey: (hash) => asked(() => given_store.findApiKey(hash)),
    workspaces: (request) => asked(() => given_store.workspaces(request)),
    due: (request) => asked(() => given_store.due(request)),
    nextDue: (after) => asked(() => given_store.nextDue(after)),
    claimDeliveries: (request) => asked(() => given_store.claimDeliveries(request)),
    announceDeliveries: () => given_store.announceDeliveries(),
    onDeliveriesElsewhere: (wake) => given_store.onDeliveriesElsewhere(wake),
    migrate: () => asked(() => given_store.migrate()),
    migrations: {
      pending: () => asked(() => given_store.migrations.pending()),
      sql: () => given_store.migrations.sql(),
    },
    close,
  }
  return { opened: { store, given_store, keepOpen }, close, isClosed: () => isClosing }
}
