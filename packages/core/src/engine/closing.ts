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
  let isStoreClosed = false
  /** How many operations that ask a processor are running: what they record needs the store. */
  let asking = 0
  const noneAsks = Promise.withResolvers<void>()
  const refuse = () => Promise.reject(new Error('The engine has been closed.'))
  const whileOpen = <Answer>(call: () => Promise<Answer>) => (isClosing && asking === 0 ? refuse() : call())
  const keepOpen = async <Answer>(ask: () => Promise<Answer>) => {
    if (isClosing) return refuse()
    asking += 1
    try {
      return await ask()
    } finally {
      asking -= 1
      if (asking === 0 && isClosing) noneAsks.resolve()
    }
  }
  const close = async () => {
    isClosing = true
    if (asking > 0) await noneAsks.promise
    await given_store.close()
    isStoreClosed = true
  }
  const store: Store = {
    transaction: (scope, work) => whileOpen(() => given_store.transaction(scope, work)),
    join(native) {
      const joined = given_store.join(native)
      // In a transaction that is open already: a listener's unit ends before the store is closed.
      const whileStoreOpen = <Answer>(call: () => Promise<Answer>) => (isStoreClosed ? refuse() : call())
      return {
        transaction: (scope, work) => whileStoreOpen(() => joined.transaction(scope, work)),
        read: (scope, work) => whileStoreOpen(() => joined.read(scope, work)),
      }
    },
    read: (scope, work) => whileOpen(() => given_store.read(scope, work)),
    findApiKey: (hash) => whileOpen(() => given_store.findApiKey(hash)),
    workspaces: (request) => whileOpen(() => given_store.workspaces(request)),
    due: (request) => whileOpen(() => given_store.due(request)),
    nextDue: (after) => whileOpen(() => given_store.nextDue(after)),
    claimDeliveries: (request) => whileOpen(() => given_store.claimDeliveries(request)),
    announceDeliveries: () => given_store.announceDeliveries(),
    onDeliveriesElsewhere: (wake) => given_store.onDeliveriesElsewhere(wake),
    migrate: () => whileOpen(() => given_store.migrate()),
    migrations: {
      pending: () => whileOpen(() => given_store.migrations.pending()),
      sql: () => given_store.migrations.sql(),
    },
    close,
  }
  return { opened: { store, given_store, keepOpen }, close, isClosed: () => isClosing }
}
