import pg, { type Client, type Pool, type PoolClient } from 'pg'
import { answer_ms } from './batch.ts'
import { isLoss, NothingDone } from './faults.ts'

/** How long anyone waits for a connection. */
const connection_ms = 10_000

/** Making a connection costs more than keeping one. */
const idle_ms = 60_000

export type PostgresStoreOptions =
  /** A pool of the store's own, of 10 connections where nothing else is said. */
  | ({ connectionString: string; connections?: number } & Settings)
  /**
   * The host's pool, which the store never closes. Its errors are listened to, so that a broken connection does not
   * end the process, and `synchronous_commit` is turned on where it was off.
   */
  | ({ pool: Pool } & Settings)

interface Settings {
  schema?: string
  /**
   * Whether processes wake each other's dispatchers with NOTIFY: default true. A process that dispatches then keeps one
   * connection for LISTEN beside the pool, with the pool's settings. Of no use where a pooler such as PgBouncer hands
   * connections on after each transaction, or where Redis wakes the dispatchers.
   */
  notify?: boolean
}

export interface Connections {
  /**
   * Lends a connection for the time of `use`. Nothing was sent yet where it throws `NothingDone` by itself. A
   * connection is closed, not lent again, when `use` throws with it lost.
   */
  using<Value>(use: (client: PoolClient) => Promise<Value>): Promise<Value>
  /** A connection that does not count among those of the pool, to be opened and closed by whoever asks for it. */
  beside(): Client
  /** Closes what was opened here. */
  close(): Promise<void>
}

export function openConnections(options: PostgresStoreOptions, limits = { connection_ms }): Connections {
  const shared = 'pool' in options
  const pool = shared ? options.pool : openPool(options)
  // An idle connection that breaks is an event of the pool, and without a listener the end of the process. The pool
  // has dropped the connection then, and whoever needs one next gets another.
  pool.on('error', ignore)
  // Nor may one that breaks with the very packet that tells of its connecting, before anybody can listen to it.
  pool.on('connect', listenToErrors)
  let closed: Promise<void> | undefined
  return {
    async using(use) {
      const client = await connect(pool, limits.connection_ms)
      client.on('error', ignore)
      let lost = false
      try {
        return await use(client)
      } catch (fault) {
        lost = isLoss(fault instanceof NothingDone ? fault.because : fault)
        throw fault
      } finally {
        client.removeListener('error', ignore)
        client.release(lost)
      }
    },
    beside: () => new pg.Client(pool.options),
    close() {
      // A pool of the store's own ends before its last connections do, and those can still break.
      if (!shared) {
        closed ??= pool.end()
        return closed
      }
      pool.removeListener('error', ignore)
      pool.removeListener('connect', listenToErrors)
      return Promise.resolve()
    },
  }
}

function openPool({
  connectionString,
  connections = 10,
}: {
  connectionString: string
  connections?: number
}): Pool {
  return new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connection_ms,
    idleTimeoutMillis: idle_ms,
    query_timeout: answer_ms,
    keepAlive: true,
    fallback_application_name: 'quittance',
  })
}

/** A pool of the host may have no timeout of its own. */
async function connect(pool: Pool, limit_ms: number): Promise<PoolClient> {
  let waiting = true
  const clock = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    waiting = false
    clock.reject(new Error(`no connection to Postgres was to be had within ${limit_ms} ms`))
  }, limit_ms)
  const connecting = pool.connect().then((client) => {
    if (waiting) return client
    client.release()
    return clock.promise
  })
  try {
    const client = await Promise.race([connecting, clock.promise])
    if (client.pipeline) {
      client.release()
      throw new TypeError(
        'the store sends its statements together by itself: give it a pool without `pipeline`',
      )
    }
    return client
  } catch (fault) {
    throw fault instanceof TypeError ? fault : new NothingDone(fault)
  } finally {
    clearTimeout(timer)
  }
}

function listenToErrors(client: PoolClient): void {
  client.on('error', ignore)
}

function ignore(): void {}
