import { DatabaseSync } from 'node:sqlite'
import { err, ok, type Store } from '@quittance/core'
import Database from 'better-sqlite3'
import { CamelCasePlugin, Kysely, SqliteDialect } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { find, here, seed, turnOfTheLoop } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import { temporaryFile } from './temporary-file.ts'

const customer = (id: string) => sampleRow('customers', here, id)
const kyselyOn = (database: Database.Database) =>
  new Kysely<object>({ dialect: new SqliteDialect({ database }) })

describe('a transaction of the host that is joined', () => {
  let file: ReturnType<typeof temporaryFile>
  let store: Store
  let database: Database.Database
  let made: string[]
  beforeEach(async () => {
    made = []
    file = temporaryFile()
    store = sqliteStore({ filename: file.filename })
    await store.migrate()
    database = new Database(file.filename, { verbose: (sql) => made.push(String(sql)) })
  })
  afterEach(async () => {
    database.close()
    await store.close()
    file.remove()
  })
  const insert = (native: unknown, id: string) =>
    store.join(native).transaction(here, async (tx) => ok(await tx.customers.insert(customer(id))))

  it.each<
    [string, <Value>(on: Database.Database, work: (native: unknown) => Promise<Value>) => Promise<Value>]
  >([
    ['by kysely', (on, work) => kyselyOn(on).transaction().execute(work)],
    [
      'by hand',
      async (on, work) => {
        on.exec('BEGIN')
        return work(on).finally(() => on.exec('COMMIT'))
      },
    ],
  ])(
    'waits for a unit of work of the store that is on its way, and does not hold it up: begun %s',
    async (_, begun) => {
      const reached = Promise.withResolvers<void>()
      const slow = store.transaction(here, async (tx) => {
        await tx.customers.insert(customer('slow'))
        reached.resolve()
        for (let turn = 0; turn < 10; turn += 1) await turnOfTheLoop()
        return ok(null)
      })
      await reached.promise
      const joined = begun(database, (native) => insert(native, 'joined'))
      expect((await slow).isOk()).toBe(true)
      expect((await joined).isOk()).toBe(true)
      expect(await find(store, here, 'customers', 'joined')).toEqual(customer('joined'))
      expect(database.pragma('busy_timeout', { simple: true })).toBe(5_000)
    },
  )

  it('is a fault where it has read what another one has changed since, and can still be rolled back', async () => {
    database.exec('BEGIN')
    database.prepare('SELECT count(*) FROM quittance_customers').get()
    await seed(store, here, [['customers', customer('other')]])
    made.length = 0
    await expect((async () => insert(database, 'late'))()).rejects.toMatchObject({
      code: 'SQLITE_BUSY_SNAPSHOT',
    })
    // Waiting would not help.
    expect(made.filter((sql) => sql.startsWith('DELETE'))).toHaveLength(1)
    expect(database.inTransaction).toBe(true)
    database.exec('ROLLBACK')
    expect(await find(store, here, 'customers', 'late')).toBeUndefined()
  })

  it('is begun by the host: without it a savepoint would commit by itself', async () => {
    await expect((async () => insert(database, 'alone'))()).rejects.toThrow('No transaction is open')
    const kysely = new Kysely<object>({ dialect: new SqliteDialect({ database }) })
    expect(() => store.join(kysely)).toThrow('in no transaction')
    const stale = await kysely.transaction().execute(async (transaction) => transaction)
    await expect((async () => insert(stale, 'alone'))()).rejects.toThrow('already committed')
    expect(await find(store, here, 'customers', 'alone')).toBeUndefined()
  })

  it('prepares each statement once, however many stores are opened and closed beside its connection', async () => {
    const prepare = vi.spyOn(database, 'prepare')
    for (const id of ['one', 'two', 'three']) {
      const other = sqliteStore({ filename: file.filename })
      database.exec('BEGIN IMMEDIATE')
      const inserted = await other
        .join(database)
        .transaction(here, async (tx) => ok(await tx.customers.insert(customer(id))))
      expect(inserted.isOk()).toBe(true)
      database.exec('ROLLBACK')
      await other.close()
    }
    const kept = prepare.mock.calls.map(([sql]) => sql).filter((sql) => !sql.startsWith('PRAGMA'))
    expect(kept).toEqual([...new Set(kept)])
  })

  it('is on the store’s own database', async () => {
    const elsewhere = temporaryFile()
    const other = new Database(elsewhere.filename)
    other.exec('BEGIN')
    expect(() => store.join(other)).toThrow('another database')
    other.exec('COMMIT')
    expect(() => store.join(new Database(':memory:'))).toThrow('another database')
    const kysely = new Kysely<object>({ dialect: new SqliteDialect({ database: other }) })
    const joined = kysely.transaction().execute(async (transaction) => insert(transaction, 'astray'))
    await expect(joined).rejects.toThrow('another database')
    other.close()
    elsewhere.remove()
  })

  it('is of the library that the store has: two copies of SQLite undo each other’s locks on a file', async () => {
    const native = new DatabaseSync(file.filename)
    native.exec('BEGIN')
    expect(() => store.join(native)).toThrow('is of node:sqlite and the store of better-sqlite3')
    native.close()
  })

  it('says so when SQLite has rolled it back under a unit of work', async () => {
    database.exec('BEGIN')
    const fault = store.join(database).transaction(here, async () => {
      // What SQLite does by itself when the disk is full.
      database.exec('ROLLBACK')
      return err('disk full')
    })
    await expect((async () => fault)()).rejects.toThrow('has ended before a unit of work in it')
    await seed(store, here, [['customers', customer('next')]])
    expect(await find(store, here, 'customers', 'next')).toEqual(customer('next'))
  })

  it('may have integers as bigints and names in camel case', async () => {
    const rows = [sampleRow('payments', here, 'pay', { amount: 1250 }), sampleRow('payments', here, 'pax')]
    await seed(
      store,
      here,
      rows.map((row) => ['payments', row] as const),
    )
    const page = { where: {}, limit: 9 }
    database.defaultSafeIntegers(true)
    database.exec('BEGIN')
    expect(await store.join(database).read(here, (reads) => reads.payments.page(page))).toEqual(rows)
    database.exec('COMMIT')
    const plugins = [new CamelCasePlugin()]
    const kysely = new Kysely<object>({ dialect: new SqliteDialect({ database }), plugins })
    await kysely.transaction().execute(async (transaction) => {
      expect(await store.join(transaction).read(here, (reads) => reads.payments.page(page))).toEqual(rows)
    })
  })
})

describe('a transaction of the host in memory', () => {
  it('is joined on the one connection there is', async () => {
    const database = new Database(':memory:')
    const store = sqliteStore({ database })
    await store.migrate()
    for (const end of ['ROLLBACK', 'COMMIT']) {
      database.exec('BEGIN')
      const joined = store.join(database)
      await joined.transaction(here, async (tx) => ok(await tx.customers.insert(customer(end))))
      database.exec(end)
    }
    expect(await find(store, here, 'customers', 'ROLLBACK')).toBeUndefined()
    expect(await find(store, here, 'customers', 'COMMIT')).toEqual(customer('COMMIT'))
    expect(() => store.join(new Database(':memory:'))).toThrow('another database')
    await store.close()
    database.close()
  })
})

describe('a transaction of the host that is joined by node:sqlite', () => {
  it('is a fault where it has read what another one has changed since, and waits for another writer else', async () => {
    const file = temporaryFile()
    const store = sqliteStore({ filename: file.filename, driver: 'node:sqlite' })
    await store.migrate()
    const [late, writing] = [new DatabaseSync(file.filename), new DatabaseSync(file.filename)]
    const insert = async (id: string) =>
      store.join(late).transaction(here, async (tx) => ok(await tx.customers.insert(customer(id))))
    late.exec('BEGIN')
    late.prepare('SELECT count(*) FROM quittance_customers').get()
    await seed(store, here, [['customers', customer('other')]])
    await expect(insert('late')).rejects.toMatchObject({ errcode: 517 })
    late.exec('ROLLBACK')
    writing.exec('BEGIN IMMEDIATE')
    late.exec('BEGIN')
    const joined = insert('patient')
    await turnOfTheLoop()
    writing.exec('ROLLBACK')
    expect((await joined).isOk()).toBe(true)
    late.exec('COMMIT')
    expect(await find(store, here, 'customers', 'patient')).toEqual(customer('patient'))
    for (const database of [late, writing]) database.close()
    await store.close()
    file.remove()
  })
})
