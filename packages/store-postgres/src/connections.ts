import { option, refuseWrongOptions } from '@quittance/core'
import pg, { type Client, type Pool, type PoolClient } from 'pg'
import { isLoss, NothingDone } from './faults.ts'
import { ignore, listenTo } from './pool-listeners.ts'

const closed_already = 'The Postgres store, or the pool that it was given, has been closed.'
const needed = 'A Postgres store needs either a `connectionString` or a `pool`.'
const open_transaction =
  'a connection of the pool came back to it within a transaction of the host: it was closed, which undoes that transaction'

/** The longest wait for a connection. */
const connection_ms = 10_000

/** Long, because making a connection costs more than keeping one. */
const idle_ms = 60_000

export type PostgresStoreOptions =
  /** A pool of the store's own, by default of 10 connections. */
  | ({ connectionString: string; connections?: number | undefined; pool?: undefined } & Settings)
  /**
   * The host's pool, which the store never closes. The store listens to its errors, so that a broken connection does
   * not end the process, and turns `synchronous_commit` on for its own transactions if it is off.
   */
  | ({ pool: Pool; connectionString?: undefined; connections?: undefined } & Settings)

interface Settings {
  schema?: string | undefined
  /**
   * Whether processes wake each other's dispatchers with NOTIFY: default true. A process that dispatches then keeps one
   * connection for LISTEN beside the pool, with the pool's settings. Useless if a pooler such as PgBouncer shares
   * connections per transaction, or if Redis wakes the dispatchers.
   */
  notify?: boolean | undefined
}

export interface Connections {
  /** Runs work, unless `close` was called, which waits for what was admitted. */
  admit<Value>(work: () => Promise<Value>): Promise<Value>
  /** Admits `use`, and lends it a connection. */
  using<Value>(use: (client: PoolClient) => Promise<Value>): Promise<Value>
  /**
   * For admitted work: lends a connection for the time of `use`. Throws `NothingDone` itself if it gets none: then nothing was
   * sent. If `use` throws because the connection is lost, the connection is closed and not lent again.
   */
  lend<Value>(use: (client: PoolClient) => Promise<Value>): Promise<Value>
  /** A connection outside the pool, with its settings. The caller opens and closes it. */
  dedicatedClient(): Client
  /** Whether the pool has made this client since a store was opened on it. */
  madeHere(native: object): boolean
  /** Closes what was opened here. */
  close(): Promise<void>
}

export function openConnections(options: PostgresStoreOptions, limits = { connection_ms }): Connections {
  checkOptions(options)
  const pool = options.pool ?? openPool(options)
  const { made, leave } = listenTo(pool)
  const { admit, end } = admission()
  const lend: Connections['lend'] = (use) => lendFrom(pool, limits, use)
  let closed: Promise<void> | undefined
  return {
    admit,
    lend,
    using: (use) => admit(() => lend(use)),
    dedicatedClient: () => new pg.Client(pool.options),
    madeHere: (native) => made.has(native),
    close() {
      // Only once: leaving a second time would be for another store on the pool. Ends the pool only after what was admitted,
      // because whoever still waits for a connection when a pool of pg ends would wait in vain. An own pool keeps its
      // listeners: it ends before its last connections do, and those can still break.
      closed ??= end().then(() => (options.pool ? leave() : pool.end()))
      return closed
    },
  }
}

function checkOptions(options: PostgresStoreOptions): void {
  // Does not repeat what was given: a connection string has a password.
  if (typeof options !== 'object' || options === null) throw new TypeError(needed)
  refuseWrongOptions('postgresStore', options, {
    connectionString: option.text,
    connections: option.count,
    pool: option.any,
    schema: option.name,
    notify: option.flag,
  })
  const { pool, connectionString, connections } = options
  // Given neither, pg would connect to whatever the environment names.
  if (!pool === !connectionString) throw new TypeError(needed)
  if (pool && connections !== undefined) throw new TypeError('`connections` is of the store’s own pool.')
  if (pool && typeof pool.totalCount !== 'number')
    throw new TypeError('`pool` is a `Pool` of pg, which lends connections, and not one of its clients.')
}

/** Work that has begun, and none after `end`, which resolves when all of it has ended. */
function admission() {
  const admitted = new Set<Promise<unknown>>()
  let isOver = false
  return {
    admit<Value>(work: () => Promise<Value>): Promise<Value> {
      if (isOver) return Promise.reject(new Error(closed_already))
      const working = work()
      const done = () => admitted.delete(working)
      admitted.add(working)
      working.then(done, done)
      return working
    },
    end() {
      isOver = true
      return Promise.allSettled(admitted)
    },
  }
}

async function lendFrom<Value>(
  pool: Pool,
  limits: { connection_ms: number },
  use: (client: PoolClient) => Promise<Value>,
): Promise<Value> {
  // Not `NothingDone`: retrying until patience is over would not help.
  if (pool.ending) throw new Error(closed_already)
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
    // A connection lost at COMMIT is still in a transaction, whose outcome was asked for elsewhere.
    client.release(lost || isInTransaction(client))
  }
}

type OwnPool = Extract<PostgresStoreOptions, { connectionString: string }>

function openPool({ connectionString, connections = 10 }: OwnPool): Pool {
  // pg would wait for a connection for ever.
  return new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connection_ms,
    idleTimeoutMillis: idle_ms,
    keepAlive: true,
    fallback_application_name: 'quittance',
  })
}

/** With a timeout, because the host's pool may have none. */
async function connect(pool: Pool, limit_ms: number): Promise<PoolClient> {
  let waiting = true
  const clock = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    waiting = false
    clock.reject(new Error(`no connection to Postgres was to be had within ${limit_ms} ms`))
  }, limit_ms)
  try {
    // pg throws at once if an address or a certificate cannot be read: the clock must stop then, too.
    const connecting = pool.connect().then((client) => {
      if (waiting) return client
      client.release()
      return clock.promise
    })
    const client = await Promise.race([connecting, clock.promise])
    // Of pg-native, which `NODE_PG_FORCE_NATIVE` puts in the place of pg, a client sends nothing but a query of its own.
    if (client.pipeline || !client.connection) {
      client.release()
      throw new TypeError(
        'the store sends its statements together by itself: give it a pool without `pipeline`, and not of pg-native',
      )
    }
    if (isInTransaction(client)) {
      client.release(true)
      throw new TypeError(open_transaction)
    }
    return client
  } catch (fault) {
    throw fault instanceof TypeError ? fault : new NothingDone(fault)
  } finally {
    clearTimeout(timer)
  }
}

/** As of the last answer on it. pg says so since 8.21. */
function isInTransaction(client: PoolClient): boolean {
  const status = 'getTransactionStatus' in client ? client.getTransactionStatus() : null
  return status === 'T' || status === 'E'
}
