import type { Pool, PoolClient } from 'pg'

interface PoolListeners {
  /** Clients that the pool has made while there was a store on it. */
  readonly made: WeakSet<object>
  /** To call once for each store: the last one removes the listeners. */
  leave(): void
}

const listened = new WeakMap<Pool, PoolListeners & { stores: number }>()

/** All stores on a pool share its listeners: Node warns of a leak at the eleventh, and there may be a schema for each tenant. */
export function listenTo(pool: Pool): PoolListeners {
  const listeners = listened.get(pool) ?? begin(pool)
  listeners.stores += 1
  return listeners
}

function begin(pool: Pool) {
  const made = new WeakSet<object>()
  const onConnect = (client: PoolClient) => {
    made.add(client)
    // It may break with the very packet that completes it, before anybody else can listen to it.
    client.on('error', ignore)
  }
  // When an idle connection breaks, the pool drops it and emits `error`, which without a listener ends the process.
  pool.on('error', ignore)
  pool.on('connect', onConnect)
  const listeners = {
    made,
    stores: 0,
    leave() {
      listeners.stores -= 1
      if (listeners.stores > 0) return
      pool.removeListener('error', ignore)
      pool.removeListener('connect', onConnect)
      listened.delete(pool)
    },
  }
  listened.set(pool, listeners)
  return listeners
}

export function ignore(): void {}
