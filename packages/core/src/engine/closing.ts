import type { Store } from '../ports/store.ts'
import type { Engine } from './create-engine.ts'

/**
 * The store until the engine is closed. Whatever is asked of it afterwards rejects, also where the database is the host's and
 * goes on: no charge is begun of which nobody would hear.
 */
export function closing(store: Store): { open: Store } & Pick<Engine, 'close' | 'isClosed'> {
  let isClosed = false
  const asked = <Answer>(ask: () => Promise<Answer>) =>
    isClosed ? Promise.reject(new Error('The engine has been closed.')) : ask()
  const close = () => {
    isClosed = true
    return store.close()
  }
  const open: Store = {
    transaction: (scope, work) => asked(() => store.transaction(scope, work)),
    join(native) {
      const joined = store.join(native)
      return {
        transaction: (scope, work) => asked(() => joined.transaction(scope, work)),
        read: (scope, work) => asked(() => joined.read(scope, work)),
      }
    },
    read: (scope, work) => asked(() => store.read(scope, work)),
    findApiKey: (hash) => asked(() => store.findApiKey(hash)),
    workspaces: (request) => asked(() => store.workspaces(request)),
    due: (request) => asked(() => store.due(request)),
    nextDue: (after) => asked(() => store.nextDue(after)),
    claimDeliveries: (request) => asked(() => store.claimDeliveries(request)),
    leases_ahead: store.leases_ahead,
    announceDeliveries: () => store.announceDeliveries(),
    onDeliveriesElsewhere: (wake) => store.onDeliveriesElsewhere(wake),
    migrate: () => asked(() => store.migrate()),
    migrations: {
      pending: () => asked(() => store.migrations.pending()),
      sql: () => store.migrations.sql(),
    },
    close,
  }
  return { open, close, isClosed: () => isClosed }
}
