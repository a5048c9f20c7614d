import { err, ok, type Store } from '@quittance/core'
import pg, { type PoolClient } from 'pg'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { claimRequest } from '../../testing/src/store/claiming.ts'
import { commit, find, here, seed, unit } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { openConnections } from '../src/connections.ts'
import { NothingDone } from '../src/faults.ts'
import { migrations as migrationsOf } from '../src/migrations.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { retrying } from '../src/units/retrying.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { testDatabase } from './database.ts'

const database = testDatabase()
const customer = (id: string) => sampleRow('customers', here, id)
const nothing_due = { ...claimRequest, limit: 1 }

it.each<[unknown, string]>([
  ['postgres://app:hunter2@db/prod', 'A Postgres store needs either a `connectionString` or a `pool`.'],
  [undefined, 'A Postgres store needs either a `connectionString` or a `pool`.'],
  [{ pool: new pg.Client() }, '`pool` is a `Pool` of pg'],
  [
    { connectionString: 'postgres://app:hunter2@db/prod', connections: -1 },
    '`connections` of postgresStore is a whole number, at least 1',
  ],
])('is not opened on what names no database, case %#, and tells no password', (options, refused) => {
  const open = () => postgresStore(options as { pool: pg.Pool })
  expect(open).toThrow(refused)
  expect(open).not.toThrow('hunter2')
})

it.each<[string, string]>([
  ['postgres://app:hunter#2@localhost/prod', 'Invalid URL'],
  ['postgres://app:hunter2@localhost/prod?sslrootcert=/nowhere/ca.pem', 'ENOENT'],
])(
  'waits no longer for a connection that pg does not even ask for, case %#',
  async (connectionString, fault) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const store = postgresStore({ connectionString, notify: false })
      await expect(store.migrate()).rejects.toThrow(fault)
      // Nobody would catch what a clock that still runs rejects with, and that ends the host's process.
      expect(vi.getTimerCount()).toBe(0)
      await store.close()
    } finally {
      vi.useRealTimers()
    }
  },
)

it('takes no name of a schema that Postgres would cut off', () => {
  const connectionString = 'postgres://nowhere.example.com/test'
  expect(() => postgresStore({ connectionString, schema: 'é'.repeat(32) })).toThrow('`schema` is a name')
  expect(() => postgresStore({ connectionString, schema: 'x'.repeat(63) })).not.toThrow()
})

describe('a pool of the host', () => {
  let pool: pg.Pool
  let schema: string
  let store: Store
  beforeEach(async () => {
    pool = new pg.Pool({ connectionString: database().connectionString, max: 3 })
    schema = database().schema()
    store = postgresStore({ pool, schema })
    await store.migrate()
  })
  afterEach(async () => {
    await store.close()
    if (!pool.ended) await pool.end()
    await database().drop(schema)
  })

  it('is never closed, and is not listened to any more once the store is', async () => {
    await seed(store, here, [['customers', customer('kept')]])
    expect(pool.listenerCount('error')).toBe(1)
    await store.close()
    expect(pool.ended).toBe(false)
    expect(pool.listenerCount('error')).toBe(0)
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })

  it('is still listened to for another store on it when one is closed, however often', async () => {
    const other = postgresStore({ pool, schema })
    await other.close()
    await other.close()
    expect([pool.listenerCount('error'), pool.listenerCount('connect')]).toEqual([1, 1])
    await expect(other.findApiKey('hash')).rejects.toThrow(
      'The Postgres store, or the pool that it was given',
    )
    expect(await store.findApiKey('hash')).toBeUndefined()
  })

  // As where each tenant has a schema: Node warned of a leak at the eleventh store.
  it('share the listeners of their pool, until the last is closed, and so do those that come after', async () => {
    const pool = new pg.Pool({ connectionString: database().connectionString })
    onTestFinished(() => pool.end())
    const stores = Array.from({ length: 12 }, (_, tenant) =>
      postgresStore({ pool, schema: `tenant_${tenant}` }),
    )
    const listeners = () => [pool.listenerCount('error'), pool.listenerCount('connect')]
    expect(listeners()).toEqual([1, 1])
    const [last, ...others] = stores
    await Promise.all(others.map((store) => store.close()))
    expect(listeners()).toEqual([1, 1])
    await last?.close()
    expect(listeners()).toEqual([0, 0])
    const later = postgresStore({ pool, schema: 'tenant_later' })
    expect(listeners()).toEqual([1, 1])
    await later.close()
  })

  it('keeps its own type parsers: its int8 is text, the store’s columns are numbers', async () => {
    await seed(store, here, [['payments', sampleRow('payments', here, 'pay', { amount: 99_999_999 })]])
    expect((await find(store, here, 'payments', 'pay'))?.amount).toBe(99_999_999)
    const { rows } = await pool.query(`SELECT "amount" FROM "${schema}"."payments"`)
    expect(rows).toEqual([{ amount: '99999999' }])
  })

  it('may read booleans as it likes, when it migrates too', async () => {
    const asSent = { getTypeParser: () => (text: string) => text }
    const own = new pg.Pool({ connectionString: database().connectionString, types: asSent })
    const fresh = database().schema()
    const on_own = postgresStore({ pool: own, schema: fresh })
    await on_own.migrate()
    expect(await on_own.migrations.pending()).toEqual([])
    await on_own.close()
    await own.end()
    await database().drop(fresh)
  })

  it('gets its connections back as they were: outside a transaction, with its own search path', async () => {
    await seed(store, here, [['customers', customer('kept')]])
    await unit(store, here, async () => err('refused'))
    await expect(seed(store, here, [['customers', customer('kept')]])).rejects.toThrow(/duplicate key/)
    const { rows } = await pool.query(
      `SELECT current_setting('search_path') AS path, pg_current_xact_id_if_assigned() AS xact`,
    )
    expect(rows).toEqual([{ path: '"$user", public', xact: null }])
    const client = await pool.connect()
    const listeners = client.listenerCount('error')
    client.release()
    // That of all stores on the pool: Node warns of a leak at the eleventh.
    expect(listeners).toBe(1)
  })

  it('carries reads that wait together, of which one that fails fails alone', async () => {
    await seed(store, here, [['customers', customer('kept')]])
    const found = await Promise.allSettled(
      ['kept', 'no\0text', 'kept'].map((id) => find(store, here, 'customers', id)),
    )
    expect(found.map((one) => (one.status === 'fulfilled' ? one.value?.id : String(one.reason)))).toEqual([
      'kept',
      expect.stringContaining('invalid byte sequence'),
      'kept',
    ])
  })

  // A read left a session behind with each try for as long as a table was locked, as by VACUUM FULL.
  it('carries reads that wait for a lock for less than for an answer', async () => {
    await seed(store, here, [['customers', customer('behind')]])
    const limit = `current_setting('lock_timeout')`
    await pool.query(`ALTER TABLE "${schema}".customers RENAME TO kept;
      CREATE VIEW "${schema}".customers AS
      SELECT (jsonb_populate_record(k, jsonb_build_object('name', ${limit}))).* FROM "${schema}".kept k`)
    expect((await find(store, here, 'customers', 'behind'))?.name).toBe('20s')
    expect((await pool.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
  })

  it('may deallocate what the store has prepared: its connections are replaced', async () => {
    const single = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const on_single = postgresStore({ pool: single, schema })
    await seed(on_single, here, [['customers', customer('before')]])
    await single.query('DEALLOCATE ALL')
    await seed(on_single, here, [['customers', customer('after')]])
    await single.query('DEALLOCATE ALL')
    expect(await on_single.claimDeliveries(nothing_due)).toEqual([])
    const found = () => find(on_single, here, 'customers', 'after')
    const session = async () => (await single.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
    expect(await found()).toEqual(customer('after'))
    const before = await session()
    await single.query('DEALLOCATE ALL')
    expect(await found()).toEqual(customer('after'))
    expect(await session()).not.toBe(before)
    await on_single.close()
    await single.end()
  })

  it('replaces connections that still lead to a standby after a failover: only reading works on them', async () => {
    const single = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const on_single = postgresStore({ pool: single, schema })
    const nowReadOnly = () => single.query('SET default_transaction_read_only = on')
    await nowReadOnly()
    await seed(on_single, here, [['customers', customer('before')]])
    await nowReadOnly()
    await seed(on_single, here, [['customers', customer('after')]])
    await nowReadOnly()
    expect(await on_single.claimDeliveries(nothing_due)).toEqual([])
    await on_single.close()
    await single.end()
  })

  it.each(['SELECT 1', 'SELECT no_such_column'])(
    'is told that it got a connection back within a transaction, which commits nothing: %s',
    async (statement) => {
      const single = new pg.Pool({ connectionString: database().connectionString, max: 1 })
      const on_single = postgresStore({ pool: single, schema })
      await single.query(`CREATE TABLE "${schema}".orders (id TEXT)`)
      const client = await single.connect()
      await client.query('BEGIN')
      await client.query(`INSERT INTO "${schema}".orders VALUES ('leaked')`)
      await client.query(statement).catch(() => undefined)
      client.release()
      const unit = () => commit(on_single, here, async (tx) => tx.customers.insert(customer('one')))
      await expect(unit()).rejects.toThrow('within a transaction of the host')
      await unit()
      expect((await single.query(`SELECT id FROM "${schema}".orders`)).rows).toEqual([])
      await on_single.close()
      await single.end()
    },
  )

  it('keeps a connection on which only a statement has failed, of the host or of the store', async () => {
    const single = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const on_single = postgresStore({ pool: single, schema })
    const backend = async () => (await single.query('SELECT pg_backend_pid() AS pid')).rows
    const before = await backend()
    const looksAway = commit(on_single, here, async (tx) => {
      await (tx.native as PoolClient).query('SELECT no_such_column').catch(() => undefined)
    })
    await expect(looksAway).rejects.toThrow('a statement of the host has failed')
    expect(await backend()).toEqual(before)
    const missesItsRow = commit(on_single, here, async (tx) => tx.customers.update(customer('nobody')))
    await expect(missesItsRow).rejects.toThrow('nobody')
    expect(await backend()).toEqual(before)
    const conflict = `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$`
    let runs = 0
    await commit(on_single, here, async (tx) => {
      runs += 1
      if (runs === 1) await (tx.native as PoolClient).query(conflict)
    })
    expect(runs).toBe(2)
    expect(await backend()).toEqual(before)
    await on_single.close()
    await single.end()
  })

  it('may be used by two stores with schemas of their own', async () => {
    const other = database().schema()
    const second = postgresStore({ pool, schema: other })
    await second.migrate()
    await seed(store, here, [['customers', customer('first')]])
    await seed(second, here, [['customers', customer('second')]])
    expect(await find(store, here, 'customers', 'second')).toBeUndefined()
    expect(await find(second, here, 'customers', 'second')).toEqual(customer('second'))
    await database().drop(other)
  })

  it('without a timeout of its own is waited for within bounds', async () => {
    const taken = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
    const connections = openConnections({ pool }, { connection_ms: 20 })
    await expect(connections.using(async () => 1)).rejects.toThrow(NothingDone)
    for (const client of taken) client.release()
    expect(await connections.using(async () => 1)).toBe(1)
    // The one that was waited for in vain came too late, and went back.
    expect(pool.waitingCount).toBe(0)
    await connections.close()
  })

  it('lends no connection again on which a transaction of the store could not be ended', async () => {
    const single = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const connections = openConnections({ pool: single })
    const notRolledBack = async (client: PoolClient) => {
      await client.query('BEGIN')
      await client.query('SELECT no_such_column')
    }
    await expect(connections.using(notRolledBack)).rejects.toThrow('no_such_column')
    const { rows } = await connections.using((client) => client.query('SELECT 1 AS one'))
    expect(rows).toEqual([{ one: 1 }])
    await connections.close()
    await single.end()
  })

  it('that pipelines is refused in words, not with mixed up answers', async () => {
    const pipelining = new pg.Pool({ connectionString: database().connectionString, pipeline: true })
    await expect(postgresStore({ pool: pipelining, schema }).nextDue(null)).rejects.toThrow(
      'without `pipeline`',
    )
    await pipelining.end()
  })

  // Each call failed with "Cannot read properties of undefined (reading 'cork')".
  it('of pg-native is refused in words', async () => {
    const client = { query: async () => ({ rows: [] }), release() {} }
    const native = Object.assign(new pg.Pool(), { connect: async () => client })
    await expect(postgresStore({ pool: native, schema }).nextDue(null)).rejects.toThrow('not of pg-native')
    await native.end()
  })

  // A pg before 8.19 calls what was the callback of each query, also where there was none: the process ended.
  it('may have a `query_timeout` of a pg that takes each query to have a callback', async () => {
    const timed = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    timed.on('connect', (client) => {
      const query = client.query.bind(client) as (sent: unknown, ...rest: unknown[]) => unknown
      const queryAsBefore = (sent: pg.Submittable & { callback: () => void }, ...rest: unknown[]) => {
        const { callback } = sent
        if ('submit' in sent) sent.callback = () => callback()
        return query(sent, ...rest)
      }
      Object.assign(client, { query: queryAsBefore })
    })
    expect(await postgresStore({ pool: timed, schema }).nextDue(null)).toEqual({ row: null, delivery: null })
    await timed.end()
  })

  // The driver of Neon, whose clients are those of pg: every statement threw, and the client waited for its answer for ever.
  it('may send through a stream that cannot be corked, as a WebSocket', async () => {
    const uncorked = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    uncorked.on('connect', ({ connection }) =>
      Object.assign(connection.stream, { cork: undefined, uncork: undefined }),
    )
    const through = postgresStore({ pool: uncorked, schema })
    await seed(through, here, [['customers', customer('uncorked')]])
    expect(await find(store, here, 'customers', 'uncorked')).toEqual(customer('uncorked'))
    await uncorked.end()
  })

  // A lease that was given back had the text `NULL` as its end, and a number or an object that became null was refused.
  it('may read NULL in an array as a text: rows that are written together lose what they had', async () => {
    const options = '-c array_nulls=off'
    const literal = new pg.Pool({ connectionString: database().connectionString, options, max: 1 })
    const writing = postgresStore({ pool: literal, schema })
    const ids = ['one', 'two']
    const rowOf = (id: string, until: string | null) =>
      sampleRow('deliveries', here, id, { lease_until: until, emit_of: null, pending_of: null })
    await seed(
      store,
      here,
      ids.map((id) => ['deliveries', rowOf(id, claimRequest.lease_until)]),
    )
    await commit(writing, here, async (tx) => {
      await Promise.all(ids.map((id) => tx.deliveries.lock(id)))
      await Promise.all(ids.map((id) => tx.deliveries.update(rowOf(id, null))))
    })
    for (const id of ids) expect(await find(store, here, 'deliveries', id)).toEqual(rowOf(id, null))
    await literal.end()
  })

  it('commits to the disk before it answers, also where the host does not, whose setting stays', async () => {
    const lax = new pg.Pool({
      connectionString: database().connectionString,
      options: '-c synchronous_commit=off',
      max: 1,
    })
    const durable = postgresStore({ pool: lax, schema })
    const setting = async (on: pg.Pool | PoolClient) =>
      (await on.query<{ synchronous_commit: string }>('SHOW synchronous_commit')).rows[0]?.synchronous_commit
    const inUnit = () => unit(durable, here, async (tx) => ok(await setting(tx.native as PoolClient)))
    expect(await inUnit()).toEqual(ok('on'))
    expect(await setting(lax)).toBe('off')
    // As it is for another unit behind a pooler, which may run it on any session.
    await lax.query('RESET ALL')
    expect(await inUnit()).toEqual(ok('on'))
    await lax.query('SET synchronous_commit = remote_apply')
    expect(await inUnit()).toEqual(ok('remote_apply'))
    await lax.end()
  })
})

describe('a pool of the store’s own', () => {
  const of_the_store =
    "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'quittance'"

  it('has as many connections as it was given', async () => {
    const store = postgresStore({ connectionString: database().connectionString, connections: 2 })
    await Promise.all(Array.from({ length: 5 }, () => store.migrations.pending()))
    const sessions = async () => (await database().pool.query(`SELECT ${of_the_store}`)).rowCount
    // Those of a store that was closed before may be on their way out.
    await expect.poll(sessions).toBe(2)
    await store.close()
  })

  // `pool.end()` resolves with its connections on their way out: what broke one then was the end of the process.
  it('ends nothing but itself when the server ends its connections just after it is closed', async () => {
    for (let round = 0; round < 10; round += 1) {
      const store = postgresStore({
        connectionString: database().connectionString,
        schema: database().schema(),
      })
      await Promise.all(Array.from({ length: 5 }, () => store.migrations.pending()))
      await store.close()
      await database().pool.query(`SELECT pg_terminate_backend(pid, 10000) ${of_the_store}`)
      expect((await database().pool.query(`SELECT pid ${of_the_store}`)).rows).toEqual([])
    }
  })
})

describe('the native handle', () => {
  let schema: string
  let store: Store
  beforeEach(async () => {
    schema = database().schema()
    store = postgresStore({ connectionString: database().connectionString, schema })
    await store.migrate()
    await database().pool.query(`CREATE TABLE "${schema}".orders (id text PRIMARY KEY, customer text)`)
  })
  afterEach(async () => {
    await store.close()
    await database().drop(schema)
  })
  const orders = async () => (await database().pool.query(`SELECT * FROM "${schema}".orders`)).rows

  it('writes rows of the host that commit or vanish with ours, and sees ours', async () => {
    for (const outcome of [ok(1), err('refused')]) {
      const id = outcome.isOk() ? 'kept' : 'lost'
      await unit(store, here, async (tx) => {
        await tx.customers.insert(customer(id))
        await (tx.native as PoolClient).query(
          `INSERT INTO "${schema}".orders SELECT 'order of ' || id, id FROM "${schema}".customers WHERE id = $1`,
          [id],
        )
        return outcome
      })
    }
    expect(await orders()).toEqual([{ id: 'order of kept', customer: 'kept' }])
    expect(await find(store, here, 'customers', 'lost')).toBeUndefined()
  })

  it('is the connection of a pool on which no frozen process keeps its locks for long', async () => {
    await commit(store, here, async (tx) => {
      const { rows } = await (tx.native as PoolClient).query('SHOW idle_in_transaction_session_timeout')
      expect(rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }])
    })
  })

  // Who gives up on an answer leaves a session that still waits for the lock: each try left one more, until there were no more
  // to be had. Postgres itself shall end the wait.
  it.each([
    ['0', '20s'],
    ['7s', '7s'],
  ])(
    'waits for a lock for less than for an answer: where the host has %s, %s',
    async (of_the_host, limit) => {
      const options = `-c lock_timeout=${of_the_host}`
      const pool = new pg.Pool({ connectionString: database().connectionString, options, max: 1 })
      const on_pool = postgresStore({ pool, schema })
      await commit(on_pool, here, async (tx) => {
        const { rows } = await (tx.native as PoolClient).query('SHOW lock_timeout')
        expect(rows).toEqual([{ lock_timeout: limit }])
      })
      await on_pool.close()
      await pool.end()
    },
  )

  it('runs its unit again when Postgres ends its session while the host waits for something else', async () => {
    const pool = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const on_pool = postgresStore({ pool, schema })
    let runs = 0
    await commit(on_pool, here, async (tx) => {
      runs += 1
      const { rows } = await (tx.native as PoolClient).query('SELECT pg_backend_pid() AS pid')
      await tx.customers.insert(customer('once'))
      if (runs > 1) return
      await database().pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
      // Of one connection this is the second.
      await pool.query('SELECT 1')
      await tx.customers.insert(customer('too late'))
    })
    expect(runs).toBe(2)
    expect(await find(on_pool, here, 'customers', 'once')).toEqual(customer('once'))
    expect(await find(on_pool, here, 'customers', 'too late')).toBeUndefined()
    await on_pool.close()
    await pool.end()
  })

  it('runs its unit again when Postgres ends its session before the first statement', async () => {
    const pool = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const on_pool = postgresStore({ pool, schema })
    const { rows } = await pool.query('SELECT pg_backend_pid() AS pid')
    let runs = 0
    await commit(on_pool, here, async (tx) => {
      runs += 1
      if (runs === 1) {
        await database().pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
        // Of one connection this is the second.
        await pool.query('SELECT 1')
      }
      await tx.customers.insert(customer('once'))
    })
    expect(runs).toBe(2)
    expect(await find(on_pool, here, 'customers', 'once')).toEqual(customer('once'))
    await on_pool.close()
    await pool.end()
  })

  // After 25P04, of a `transaction_timeout`, the COMMIT that it met was not asked about, and what it met was not run again.
  it.each(['08006', '25P03', '25P04', '53300', '57P01', '57P02', '57P03', '57P05'])(
    'runs its unit again when Postgres says %s',
    async (state) => {
      await database().pool.query(`
      CREATE SEQUENCE "${schema}".runs;
      CREATE FUNCTION "${schema}".end_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('"${schema}".runs') = 1 THEN RAISE EXCEPTION USING ERRCODE = '${state}'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER ends BEFORE INSERT ON "${schema}"."customers" FOR EACH ROW EXECUTE FUNCTION "${schema}".end_first()`)
      await seed(store, here, [['customers', customer('once')]])
      expect(await find(store, here, 'customers', 'once')).toEqual(customer('once'))
    },
  )

  it('takes the whole unit with it when its statement fails, also where the host looks away', async () => {
    const looksAway = commit(store, here, async (tx) => {
      await (tx.native as PoolClient).query('SELECT no_such_column').catch(() => undefined)
    })
    await expect(looksAway).rejects.toThrow('a statement of the host has failed')
    const writesOn = commit(store, here, async (tx) => {
      await (tx.native as PoolClient).query('SELECT no_such_column').catch(() => undefined)
      await tx.customers.insert(customer('after'))
    })
    await expect(writesOn).rejects.toThrow('a statement of the host has failed')
    expect(await find(store, here, 'customers', 'after')).toBeUndefined()
  })

  // It was answered as committed, although nothing was: COMMIT outside of a transaction is only a warning.
  it.each(['ROLLBACK', 'COMMIT'])(
    'ends no transaction unnoticed: a unit fails after a %s of a listener',
    async (sql) => {
      const ended = unit(store, here, async (tx) => {
        await tx.customers.insert(customer('before'))
        await (tx.native as PoolClient).query(sql)
        return ok(await tx.customers.insert(customer('after')))
      })
      await expect(ended).rejects.toThrow('a listener has ended the transaction')
      expect(await find(store, here, 'customers', 'after')).toBeUndefined()
    },
  )
})

describe('a Postgres that is not there', () => {
  it('is said to be that, with the reason', async () => {
    const store = postgresStore({ connectionString: 'postgres://127.0.0.1:1/nobody' })
    await expect(store.migrations.pending()).rejects.toThrow(/nothing of this: .*ECONNREFUSED/)
    await expect(store.migrate()).rejects.toThrow(/nothing of this: .*ECONNREFUSED/)
    // Nobody is told of it, and the process goes on: the others find the deliveries by themselves.
    store.announceDeliveries()
    await store.close()
  })

  it('is said in words where a name stands for several addresses', () => {
    const tried = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}`))
    const { message, because } = new NothingDone(new AggregateError(tried))
    expect(message).toBe(
      'Postgres has done nothing of this: connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1',
    )
    // What a log shows of the fault that the caller gets.
    expect(String(because)).toBe('Error: connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1')
  })
})

// A check of each second kept its connection for an hour, until the pool had none, and `close` waited for it.
it('is not kept by a check of what is pending, where the line swallows what is sent', async () => {
  const proxy = await cuttingProxy(database().connectionString)
  const pool = new pg.Pool({ connectionString: proxy.connectionString, max: 1 })
  const connections = openConnections({ pool })
  onTestFinished(async () => {
    await connections.close()
    await pool.end()
    await proxy.close()
  })
  const schema = database().schema()
  const { migrations } = migrationsOf(connections, schema)
  const { migrations: hasty } = migrationsOf(connections, schema, { check_ms: 500 })
  const [first] = await migrations.pending()
  proxy.freeze()
  await expect(hasty.pending()).rejects.toThrow('timeout')
  expect(await migrations.pending()).toContain(first)
})

describe('what may succeed the next time', () => {
  it('is tried again within bounds, and fails with what stood in its way', async () => {
    let runs = 0
    const attempt = async () => {
      runs += 1
      throw new NothingDone(new Error('in the way'))
    }
    await expect(retrying(attempt, { attempts: 3, patience_ms: 10_000 })).rejects.toThrow('in the way')
    expect(runs).toBe(3)
    await expect(retrying(attempt, { attempts: 99, patience_ms: 0 })).rejects.toThrow('in the way')
    expect(runs).toBeLessThan(6)
  })

  it('and of those that meet a row that is taken the third is the last, whatever else went wrong before', async () => {
    const taken = Object.assign(new Error('duplicate key'), { severity: 'ERROR', code: '23505' })
    const met: unknown[] = []
    const attempt = (because: readonly Error[]) => async () => {
      const fault = because[met.length]
      met.push(fault)
      if (fault !== undefined) throw new NothingDone(fault)
      return 'done'
    }
    const lost = new Error('the connection was lost')
    expect(await retrying(attempt([lost, lost, taken, lost, taken]))).toBe('done')
    expect(met).toHaveLength(6)
    met.length = 0
    await expect(retrying(attempt([taken, lost, taken, taken, lost]))).rejects.toThrow('duplicate key')
    expect(met).toHaveLength(4)
  })
})
