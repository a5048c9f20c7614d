import { randomUUID } from 'node:crypto'
import { err, ok, type Store, type Transaction } from '@quittance/core'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { embeddedPostgres } from '../../../tests/embedded-postgres.ts'
import { find, here, seed } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { testDatabase } from './database.ts'

const database = testDatabase()
const customer = (id: string) => sampleRow('customers', here, id)

/** Each of them only the first time in a process. */
const warnings: string[] = []
process.on('warning', ({ message }) => warnings.push(message))

describe('a transaction of the host that is joined', () => {
  let store: Store
  let client: pg.Client
  let drop: () => Promise<void>
  beforeEach(async () => {
    const { connectionString, schema, ...rest } = database()
    const name = schema()
    drop = () => rest.drop(name)
    store = postgresStore({ connectionString, schema: name })
    await store.migrate()
    client = new pg.Client({ connectionString })
    client.on('error', () => {})
    await client.connect()
  })
  afterEach(async () => {
    await client.end()
    await store.close()
    await drop()
  })
  const waits = async (pid: unknown) => {
    const found = await database().pool.query('SELECT FROM pg_locks WHERE pid = $1 AND NOT granted', [pid])
    return found.rowCount === 1
  }
  const insert = async (native: unknown, id: string) =>
    await store.join(native).transaction(here, async (tx) => ok(await tx.customers.insert(customer(id))))

  it('is on one client: a pool has none, and a kysely outside of a transaction has none either', async () => {
    const { pool } = database()
    expect(() => store.join(pool)).toThrow('no pool')
    expect(() => store.join(new pg.Client({ pipeline: true }))).toThrow('without `pipeline`')
    expect(() => store.join(new Kysely<object>({ dialect: new PostgresDialect({ pool }) }))).toThrow(
      'in no transaction',
    )
    await expect(insert(client, 'alone')).rejects.toThrow('No transaction is open')
    await expect(store.join(client).read(here, (rows) => rows.customers.get('alone'))).rejects.toThrow(
      'No transaction is open',
    )
    expect(await find(store, here, 'customers', 'alone')).toBeUndefined()
  })

  // A database of the same name and id was taken for the store's, and what was joined there was committed there.
  it('is not in the store’s database where another server has one of the same name and id', async () => {
    const { connectionString, pool } = database()
    const { rows } = await pool.query('SELECT oid FROM pg_database WHERE datname = current_database()')
    const name = new URL(connectionString).pathname.slice(1)
    const server = await embeddedPostgres(['fsync=off'], ['--no-sync'])
    const stranger = new pg.Client({ connectionString: new URL(name, server.url).href })
    try {
      const there = new pg.Client({ connectionString: new URL('postgres', server.url).href })
      await there.connect()
      await there.query(`CREATE DATABASE ${name} OID = ${rows[0].oid}`)
      await there.end()
      await stranger.connect()
      await stranger.query('BEGIN')
      await expect(insert(stranger, 'stray')).rejects.toThrow('in another database')
    } finally {
      await stranger.end()
      await server.stop()
    }
  })

  // Every transaction of kysely was refused from then on, until the process started again.
  it('is known to be in the store’s database after a copy has taken its place', async () => {
    const { connectionString, pool, schema } = database()
    const name = `replaced_${randomUUID().replaceAll('-', '')}`
    const url = new URL(name, connectionString).href
    const moving = postgresStore({ connectionString: url, schema: schema() })
    const join = async (id: string) => {
      await pool.query(`CREATE DATABASE ${name}`)
      await moving.migrate()
      const host = new pg.Client({ connectionString: url })
      await host.connect()
      await host.query('BEGIN')
      const work = async (tx: Transaction) => ok(await tx.customers.insert(customer(id)))
      await moving
        .join(host)
        .transaction(here, work)
        .finally(() => host.end())
      await pool.query(`DROP DATABASE ${name} WITH (FORCE)`)
    }
    await join('before')
    await join('after')
    await moving.close()
  })

  // A server without a connection left, too: the host's transaction must not fail for that.
  it('is joined where the store itself cannot connect to see which database it is, for as long as it cannot', async () => {
    const { connectionString, schema, drop: dropped } = database()
    const name = schema()
    const proxy = await cuttingProxy(connectionString)
    const away = postgresStore({ connectionString: proxy.connectionString, schema: name })
    await away.migrate()
    proxy.sever()
    const join = (native: pg.Client) =>
      away.join(native).transaction(here, async (tx) => ok(await tx.customers.insert(customer('joined'))))
    await client.query('BEGIN')
    await join(client)
    await client.query('ROLLBACK')
    proxy.mend()
    const stranger = new pg.Client({ connectionString: new URL('postgres', connectionString).href })
    await stranger.connect()
    await stranger.query('BEGIN')
    await expect(join(stranger)).rejects.toThrow('in another database')
    await stranger.end()
    await away.close()
    await proxy.close()
    await dropped(name)
  })

  it('is known to be in the store’s database though the host holds all of the pool', async () => {
    const { connectionString, schema, drop: dropped } = database()
    const name = schema()
    const pool = new pg.Pool({ connectionString, max: 1 })
    const early = await pool.connect()
    const sharing = postgresStore({ pool, schema: name })
    const migrating = postgresStore({ connectionString, schema: name })
    await migrating.migrate()
    await early.query('BEGIN')
    await sharing
      .join(early)
      .transaction(here, async (tx) => ok(await tx.customers.insert(customer('early'))))
    await early.query('COMMIT')
    early.release()
    expect(await find(sharing, here, 'customers', 'early')).toEqual(customer('early'))
    // The connection that asked is not kept.
    const asked = async () => {
      const found = await database().pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%"the_database"%'
        AND pid <> pg_backend_pid()`,
      )
      return found.rowCount
    }
    await expect.poll(asked).toBe(0)
    for (const one of [sharing, migrating, pool]) await ('close' in one ? one.close() : one.end())
    await dropped(name)
  })

  it('is asked only once for each client which database it is, because each question is a trip', async () => {
    const proxy = await cuttingProxy(database().connectionString)
    const far = new pg.Client({ connectionString: proxy.connectionString })
    await far.connect()
    const tripsOf = async (id: string) => {
      await far.query('BEGIN')
      const before = proxy.trips
      await insert(far, id)
      const trips = proxy.trips - before
      await far.query('COMMIT')
      return trips
    }
    await tripsOf('one')
    // Its savepoint, its row, and the end of its savepoint.
    expect(await tripsOf('two')).toBe(3)
    await far.end()
    await proxy.close()
  })

  it('may have int8 and json as whatever the host’s parsers make of them', async () => {
    const row = sampleRow('payments', here, 'pay', { amount: 1250, metadata: { order: '1' } })
    await seed(store, here, [['payments', row]])
    const read = (native: unknown) => store.join(native).read(here, (rows) => rows.payments.get('pay'))
    const { connectionString } = database()
    for (const own of [false, true]) {
      const types = new pg.TypeOverrides()
      if (own) types.setTypeParser(20, BigInt)
      if (own) types.setTypeParser(114, (text: string) => text)
      const pool = new pg.Pool({ connectionString, types, max: 1 })
      const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
      await kysely.transaction().execute(async (transaction) => expect(await read(transaction)).toEqual(row))
      const one = await pool.connect()
      await one.query('BEGIN')
      expect(await read(one)).toEqual(row)
      await one.query('ROLLBACK')
      one.release()
      await kysely.destroy()
    }
  })

  // They came to be texts in JSON: a checkout session had `'{"order":"1"}'` as its metadata, an invoice no list of links.
  it('writes objects and lists as such, also where the driver of kysely makes JSON of every parameter for JSON', async () => {
    const { connectionString } = database()
    const pool = asPostgresJs(new pg.Pool({ connectionString }))
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    const row = sampleRow('payments', here, 'pay', { metadata: { order: '1' } })
    const later = { ...row, metadata: { order: '2' } }
    const join = (work: (tx: Transaction) => PromiseLike<void>) =>
      kysely
        .transaction()
        .execute((transaction) => store.join(transaction).transaction(here, async (tx) => ok(await work(tx))))
    await join((tx) => tx.payments.insert(row))
    expect(await find(store, here, 'payments', 'pay')).toEqual(row)
    await join(async (tx) => {
      await tx.payments.lock('pay')
      await tx.payments.update(later)
    })
    expect(await find(store, here, 'payments', 'pay')).toEqual(later)
    await kysely.destroy()
  })

  // A client gave up after a minute, with its transaction lost; on kysely it waited for as long as the lock was held.
  it('waits for a lock no longer than for an answer, or for as long as the host says', async () => {
    const pool = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    const limits = async (own: string) => {
      const limit = sql<{ lock_timeout: string }>`SHOW lock_timeout`
      await client.query('BEGIN')
      await client.query(`SET LOCAL lock_timeout = '${own}'`)
      await insert(client, 'limited')
      const [of_client] = (await client.query('SHOW lock_timeout')).rows
      await client.query('ROLLBACK')
      const [of_kysely] = await kysely.transaction().execute(async (transaction) => {
        await sql.raw(`SET LOCAL lock_timeout = '${own}'`).execute(transaction)
        await insert(transaction, own)
        return (await limit.execute(transaction)).rows
      })
      expect((await client.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
      return [of_client, of_kysely]
    }
    expect(await limits('0')).toEqual(Array(2).fill({ lock_timeout: '20s' }))
    expect(await limits('3s')).toEqual(Array(2).fill({ lock_timeout: '3s' }))
    await kysely.destroy()
  })

  it('limits waits also once its first unit of work was refused', async () => {
    await client.query('BEGIN')
    await insert(client, 'before')
    await client.query('COMMIT')
    await client.query('BEGIN')
    await store.join(client).transaction(here, async () => err('refused'))
    expect((await client.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '20s' }])
    await client.query('ROLLBACK')
  })

  // With `transform: postgres.camel`, amounts were missing, and the keys of metadata came and were written back as others.
  it.each<[string, (row: Record<string, unknown>) => Record<string, unknown>]>([
    ['names', (row) => mapped(row, ([name, value]) => [name.replace('_', ''), value])],
    ['nulls', (row) => mapped(row, ([name, value]) => [name, value ?? undefined])],
    ['keys', (row) => mapped(row, ([name, value]) => [name, isObject(value) ? { changed: 1 } : value])],
  ])('is refused where a driver of kysely changes the %s that it reads', async (_, change) => {
    const pool = changing(new pg.Pool({ connectionString: database().connectionString }), change)
    const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
    const joined = kysely.transaction().execute((transaction) => insert(transaction, 'changed'))
    await expect(joined).rejects.toThrow('changes what it reads')
    await kysely.destroy()
  })

  // The client was taken to have the statements for as long as it lived, and could not be joined any more.
  it('can be tried again on a client whose prepared statements the host has discarded', async () => {
    const joined = async (id: string) => {
      await client.query('BEGIN')
      await insert(client, id)
      await client.query('COMMIT')
    }
    await joined('one')
    await client.query('DISCARD ALL')
    await expect(joined('two')).rejects.toThrow('does not exist')
    await client.query('ROLLBACK')
    await joined('two')
    expect(await find(store, here, 'customers', 'two')).toEqual(customer('two'))
  })

  it('looks again where another unit was ahead of what it inserts', async () => {
    const looking = async (tx: Transaction) => {
      const seen = await tx.customers.lock('one')
      if (!seen) await tx.customers.insert(customer('one'))
      return ok(seen ? 'found' : 'inserted')
    }
    const [inserted, ahead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = store.transaction(here, async (tx) => {
      const made = await looking(tx)
      await tx.customers.get('one')
      inserted.resolve()
      await ahead.promise
      return made
    })
    await inserted.promise
    await client.query('BEGIN')
    const [backend] = (await client.query('SELECT pg_backend_pid() AS pid')).rows
    const joined = store.join(client).transaction(here, looking)
    await expect.poll(() => waits(backend.pid)).toBe(true)
    ahead.resolve()
    expect((await other)._unsafeUnwrap()).toBe('inserted')
    expect((await joined)._unsafeUnwrap()).toBe('found')
    await client.query('COMMIT')
  })

  it('is the host’s to run again where it was in another one’s way', async () => {
    await seed(store, here, [['customers', customer('both')]])
    const rename = async (native: unknown) =>
      await store.join(native).transaction(here, async (tx) => {
        const row = await tx.customers.lock('both')
        return ok(row && (await tx.customers.update({ ...row, name: 'joined' })))
      })
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await client.query('SELECT 1')
    await store.transaction(here, async (tx) =>
      ok(await tx.customers.update({ ...customer('both'), name: 'other' })),
    )
    await expect(rename(client)).rejects.toMatchObject({ code: '40001' })
    await client.query('ROLLBACK')
    await client.query('BEGIN')
    expect((await rename(client)).isOk()).toBe(true)
    await client.query('COMMIT')
    expect(await find(store, here, 'customers', 'both')).toMatchObject({ name: 'joined' })
  })

  // An event went to none of the endpoints that were registered since the host's first statement.
  it.each(['repeatable read', 'serializable'] as const)(
    'may not lock a scope at %s, where it would not see what those before it have committed',
    async (level) => {
      const lock = (native: unknown) =>
        store.join(native).transaction(here, async (tx) => ok(await tx.lockScope('shared')))
      await client.query(`BEGIN ISOLATION LEVEL ${level}`)
      await expect(lock(client)).rejects.toThrow('begin it at READ COMMITTED')
      await insert(client, 'kept')
      expect((await client.query('COMMIT')).command).toBe('COMMIT')
      expect(await find(store, here, 'customers', 'kept')).toBeDefined()
      const pool = new pg.Pool({ connectionString: database().connectionString, max: 1 })
      const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
      const transaction = await kysely.startTransaction().setIsolationLevel(level).execute()
      await expect(lock(transaction)).rejects.toThrow('begin it at READ COMMITTED')
      await transaction.rollback().execute()
      await kysely.destroy()
    },
  )

  // RELEASE was answered with 25P02, and nothing rolled back: the host's COMMIT became a ROLLBACK.
  it('lives on where a unit in it has swallowed a fault of the database, and the unit is refused', async () => {
    await client.query('BEGIN')
    await insert(client, 'before')
    const swallowing = async (native: pg.Client) =>
      await store.join(native).transaction(here, async (tx) => {
        const row = await tx.customers.insert(customer('lost'))
        await native.query('SELECT no_such_column').catch(() => undefined)
        return ok(row)
      })
    await expect(swallowing(client)).rejects.toMatchObject({ code: '25P02' })
    await insert(client, 'after')
    expect((await client.query('COMMIT')).command).toBe('COMMIT')
    const page = await store.read(here, (reads) => reads.customers.page({ where: {}, limit: 9 }))
    expect(page.map(({ id }) => id)).toEqual(['before', 'after'])
  })

  it('lives on where a read in it has failed', async () => {
    await client.query('BEGIN')
    await insert(client, 'before')
    const read = store.join(client).read(here, (rows) => rows.customers.get('no\0text'))
    await expect(read).rejects.toThrow('invalid byte sequence')
    await insert(client, 'after')
    expect((await client.query('COMMIT')).command).toBe('COMMIT')
    expect(await find(store, here, 'customers', 'before')).toBeDefined()
  })

  it('vanishes with its connection', async () => {
    await client.query('BEGIN')
    await insert(client, 'lost')
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    await database().pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
    await expect(insert(client, 'later')).rejects.toThrow()
    const page = await store.read(here, (reads) => reads.customers.page({ where: {}, limit: 9 }))
    expect(page).toEqual([])
  })

  it('gets one statement after another, as pg wants it, also where a unit asks for several at once', async () => {
    await client.query('BEGIN')
    const joined = store.join(client).transaction(here, async (tx) => {
      const ids = ['a', 'b', 'c']
      const [, ...rows] = await Promise.all([
        tx.customers.get('nobody'),
        ...ids.map((id) => tx.customers.insert(customer(id))),
        ...ids.map((id) => tx.customers.lock(id)),
      ])
      return ok(rows.length)
    })
    expect(await joined).toEqual(ok(6))
    await client.query('COMMIT')
    expect(await find(store, here, 'customers', 'c')).toEqual(customer('c'))
    expect(warnings).toEqual([])
  })
})

const isObject = (value: unknown) => typeof value === 'object' && value !== null

function mapped(
  row: Record<string, unknown>,
  change: (entry: [string, unknown]) => [string, unknown],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(change))
}

type Query = (client: pg.PoolClient, sql: string, values: unknown[]) => Promise<object>

/** A pool whose clients ask in another way, as kysely has them from other drivers. */
function asking(pool: pg.Pool, query: Query) {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      const ask = (sql: string, values: readonly unknown[] = []) => query(client, sql, [...values])
      return { query: ask, release: () => client.release() } as never
    },
  }
}

/** A pool whose clients change the rows that they read. */
function changing(pool: pg.Pool, change: (row: Record<string, unknown>) => Record<string, unknown>) {
  return asking(pool, async (client, sql, values) => {
    const result = await client.query(sql, values)
    return { ...result, rows: result.rows.map(change) }
  })
}

/** A pool whose clients do with parameters as those of postgres.js do. */
function asPostgresJs(pool: pg.Pool) {
  const typesOf = async (client: pg.PoolClient, sql: string) => {
    await client.query(`PREPARE asked AS ${sql}`)
    const { rows } = await client.query<{ types: string[] }>(
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'asked'`,
    )
    await client.query('DEALLOCATE asked')
    return rows[0]?.types ?? []
  }
  return asking(pool, async (client, sql, values) => {
    if (values.length === 0) return client.query(sql)
    const types = await typesOf(client, sql)
    const sent = values.map((value, index) =>
      types[index] === 'json' && value !== null ? JSON.stringify(value) : value,
    )
    return client.query(sql, sent)
  })
}
