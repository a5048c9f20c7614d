import type { DatabaseSync } from 'node:sqlite'
import { err, ok, type Store } from '@quittance/core'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { claimRequest } from '../../testing/src/store/claiming.ts'
import { commit, find, here, seed, turnOfTheLoop, unit } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { CommitQueue } from '../src/commit-queue.ts'
import { connectionOf } from '../src/database.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import { temporaryFile } from './temporary-file.ts'

const customer = (id: string) => sampleRow('customers', here, id)

describe('a commit', () => {
  let file: ReturnType<typeof temporaryFile>
  let database: Database.Database
  let store: Store
  let statements: string[]
  beforeEach(async () => {
    statements = []
    file = temporaryFile()
    database = new Database(file.filename, { verbose: (sql) => statements.push(String(sql)) })
    store = sqliteStore({ database })
    await store.migrate()
    statements.length = 0
  })
  afterEach(async () => {
    await store.close()
    database.close()
    file.remove()
  })
  const commits = () => statements.filter((sql) => sql === 'COMMIT').length

  it('is shared by the units of work that wait at the same time, up to 64', async () => {
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => seed(store, here, [['customers', customer(`a${index}`)]])),
    )
    expect(commits()).toBe(1)
    await Promise.all(
      Array.from({ length: 130 }, (_, index) => seed(store, here, [['customers', customer(`b${index}`)]])),
    )
    expect(commits()).toBe(1 + 3)
  })

  it('comes before any unit of its group hears of its outcome, a refusal included', async () => {
    const heard: number[] = []
    const outcomes = [ok(1), err('refused'), ok(2)].map(async (outcome) => {
      await unit(store, here, async () => outcome)
      heard.push(commits())
    })
    await Promise.all(outcomes)
    expect(heard).toEqual([1, 1, 1])
  })

  it('that fails is a fault of every unit of its group, and leaves nothing of any', async () => {
    database.pragma('foreign_keys = ON')
    database.exec('CREATE TABLE parent (id PRIMARY KEY)')
    database.exec('CREATE TABLE child (parent REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)')
    const outcomes = await Promise.allSettled([
      seed(store, here, [['customers', customer('before')]]),
      commit(
        store,
        here,
        async (tx) => void (tx.native as Database.Database).exec('INSERT INTO child VALUES (1)'),
      ),
      unit(store, here, async () => err('refused')),
      seed(store, here, [['customers', customer('after')]]),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
    expect(await find(store, here, 'customers', 'before')).toBeUndefined()
    await seed(store, here, [['customers', customer('next')]])
    expect(await find(store, here, 'customers', 'next')).toEqual(customer('next'))
  })

  it('that a full disk prevents says so to every unit of its group', async () => {
    const pages = database.pragma('page_count', { simple: true })
    database.exec('CREATE TABLE parcels (content)')
    database.pragma(`max_page_count = ${Number(pages) + 1}`)
    const fill = (tx: { native: unknown }) =>
      (tx.native as Database.Database).exec('INSERT INTO parcels VALUES (zeroblob(100000))')
    const outcomes = await Promise.allSettled([
      seed(store, here, [['customers', customer('before')]]),
      commit(store, here, async (tx) => void fill(tx)),
    ])
    const said = 'Error: SQLite has rolled back the transaction: database or disk is full'
    expect(outcomes.map((outcome) => 'reason' in outcome && String(outcome.reason))).toEqual([said, said])
  })

  it.each(['COMMIT', 'ROLLBACK'])(
    'that a listener forestalls with %s is a fault which says so',
    async (sql) => {
      const ending = commit(store, here, async (tx) => void (tx.native as Database.Database).exec(sql))
      await expect(ending).rejects.toThrow('within a unit of work, by a listener')
      await seed(store, here, [['customers', customer('later')]])
    },
  )

  it('that an iterator left open prevents is a fault of its group, and of no later one', async () => {
    let left: IterableIterator<unknown> | undefined
    const iterating = commit(store, here, async (tx) => {
      await tx.customers.insert(customer('iterated'))
      left = (tx.native as Database.Database).prepare('SELECT 1 UNION SELECT 2').iterate()
      left.next()
    })
    await expect(iterating).rejects.toThrow('busy executing a query')
    const claimed = store.claimDeliveries(claimRequest)
    const later = seed(store, here, [['customers', customer('later')]])
    await turnOfTheLoop()
    left?.return?.()
    expect(await claimed).toEqual([])
    await later
    expect(await find(store, here, 'customers', 'later')).toEqual(customer('later'))
    expect(await find(store, here, 'customers', 'iterated')).toBeUndefined()
  })

  it('that an iterator left open prevents lets other processes write once it is closed, whatever comes next', async () => {
    let left: IterableIterator<unknown> | undefined
    const iterating = commit(store, here, async (tx) => {
      left = (tx.native as Database.Database).prepare('SELECT 1 UNION SELECT 2').iterate()
      left.next()
    })
    await expect(iterating).rejects.toThrow('busy executing a query')
    left?.return?.()
    const another = new Database(file.filename, { timeout: 1 })
    await vi.waitFor(() => another.exec('BEGIN IMMEDIATE; COMMIT'), 20_000)
    another.close()
  })

  it('that could not be undone in time is undone before the next one, once that can be', async () => {
    const queue = new CommitQueue(connectionOf(database), { patience_ms: 1 })
    let left: IterableIterator<unknown> | undefined
    const iterating = queue.unit(async () => {
      left = database.prepare('SELECT 1 UNION SELECT 2').iterate()
    })
    await expect(iterating).rejects.toThrow('busy executing a query')
    const next = () => queue.unit(async () => true)
    await expect(next()).rejects.toThrow('a transaction stays open on the store’s connection')
    left?.return?.()
    expect(await next()).toBe(true)
  })

  it('takes with it what a listener writes through the native handle, or leaves it out with the unit', async () => {
    database.exec('CREATE TABLE ledger (entry)')
    await commit(
      store,
      here,
      async (tx) => void (tx.native as Database.Database).exec(`INSERT INTO ledger VALUES ('kept')`),
    )
    await unit(store, here, async (tx) => {
      const native = tx.native as Database.Database
      native.exec(`INSERT INTO ledger VALUES ('lost')`)
      return err('refused')
    })
    expect(database.prepare('SELECT entry FROM ledger').pluck().all()).toEqual(['kept'])
  })

  it('is not waited for by readers, who see what was committed before', async () => {
    await seed(store, here, [['customers', customer('old')]])
    await commit(store, here, async (tx) => {
      await tx.customers.insert(customer('new'))
      const page = await store.read(here, (rows) => rows.customers.page({ where: {}, limit: 9 }))
      expect(page.map((row) => row.id)).toEqual(['old'])
    })
  })

  it('waits for another process that writes, without holding up its own', async () => {
    database.pragma('busy_timeout = 1')
    const another = new Database(file.filename)
    another.exec('BEGIN IMMEDIATE')
    let done = false
    const waiting = seed(store, here, [['customers', customer('patient')]]).then(() => {
      done = true
    })
    await expect.poll(() => statements.filter((sql) => sql === 'BEGIN IMMEDIATE').length).toBeGreaterThan(2)
    expect(done).toBe(false)
    another.exec('COMMIT')
    await waiting
    expect(await find(store, here, 'customers', 'patient')).toEqual(customer('patient'))
    another.close()
  })

  it('is a fault where another process never stops writing', async () => {
    const another = new Database(file.filename)
    another.exec('BEGIN IMMEDIATE')
    database.pragma('busy_timeout = 1')
    const queue = new CommitQueue(connectionOf(database), { patience_ms: 20 })
    await expect(queue.unit(async () => 1)).rejects.toMatchObject({
      code: 'SQLITE_BUSY',
    })
    another.exec('COMMIT')
    await expect(queue.unit(async () => 1)).resolves.toBe(1)
    another.close()
  })

  it('is a fault of all who waited that long, and not yet of who came in between', async () => {
    const another = new Database(file.filename)
    another.exec('BEGIN IMMEDIATE')
    database.pragma('busy_timeout = 1')
    const queue = new CommitQueue(connectionOf(database), { patience_ms: 20 })
    const more_than_a_group = Array.from({ length: 200 }, () => queue.unit(async () => 'early'))
    const outcomes = Promise.allSettled(more_than_a_group)
    await turnOfTheLoop()
    await turnOfTheLoop()
    const late = queue.unit(async () => 'late')
    await more_than_a_group[0]?.catch(() => another.exec('COMMIT'))
    expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toEqual([])
    expect(await late).toBe('late')
    another.close()
  })

  it('waits for a transaction that the host has open itself, and never ends it', async () => {
    database.exec('CREATE TABLE ledger (entry)')
    database.exec('BEGIN')
    database.exec(`INSERT INTO ledger VALUES ('of the host')`)
    const impatient = new CommitQueue(connectionOf(database), { patience_ms: 5 })
    await expect(impatient.unit(async () => 1)).rejects.toThrow('stays open')
    const waiting = seed(store, here, [['customers', customer('patient')]])
    expect(database.inTransaction).toBe(true)
    database.exec('COMMIT')
    await waiting
    expect(database.prepare('SELECT entry FROM ledger').pluck().all()).toEqual(['of the host'])
    expect(await find(store, here, 'customers', 'patient')).toEqual(customer('patient'))
  })

  it('that SQLite has given up takes the whole group with it, and says why', async () => {
    const outcomes = await Promise.allSettled([
      seed(store, here, [['customers', customer('first')]]),
      commit(store, here, async (tx) => {
        // What SQLite does by itself when the disk is full.
        ;(tx.native as Database.Database).exec('ROLLBACK')
        throw new Error('disk full')
      }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(outcomes[0]).toMatchObject({ reason: { cause: { message: 'disk full' } } })
    await seed(store, here, [['customers', customer('next')]])
    expect(await find(store, here, 'customers', 'first')).toBeUndefined()
  })

  it('leaves a connection of the host open when the store closes', async () => {
    await store.close()
    expect(database.open).toBe(true)
  })
})

describe.each(['better-sqlite3', 'node:sqlite'] as const)('a commit by %s,', (driver) => {
  it('for which the store was closed too early, is a fault', { timeout: 10_000 }, async () => {
    const { filename, remove } = temporaryFile()
    const store = sqliteStore({ filename, driver })
    await store.migrate()
    await turnOfTheLoop()
    const reading = find(store, here, 'customers', 'one')
    const closing = store.close()
    const late = commit(store, here, () => closing)
    await reading
    await expect(late).rejects.toThrow('rolled back')
    remove()
  })
})

describe('a file of the store', () => {
  it('is synced at every commit, in WAL, with foreign keys and nothing temporary on the disk', async () => {
    const { filename, remove } = temporaryFile()
    const store = sqliteStore({ filename })
    await store.migrate()
    await commit(store, here, async (tx) => {
      const database = tx.native as Database.Database
      const pragma = (name: string) => database.pragma(name, { simple: true })
      expect(pragma('synchronous')).toBe(2)
      expect(pragma('journal_mode')).toBe('wal')
      expect(pragma('temp_store')).toBe(2)
      expect(pragma('foreign_keys')).toBe(1)
      expect(pragma('busy_timeout')).toBe(10)
    })
    await store.close()
    remove()
  })

  it('is synced at every commit but those of claims alone', async () => {
    const { filename, remove } = temporaryFile()
    const store = sqliteStore({ filename })
    await store.migrate()
    let synchronous = (): unknown => undefined
    const claims = () => store.claimDeliveries(claimRequest)
    const commits = () =>
      commit(store, here, async ({ native }) => {
        synchronous = () => (native as Database.Database).pragma('synchronous', { simple: true })
        expect(synchronous()).toBe(2)
      })
    await commits()
    await claims()
    expect(synchronous()).toBe(1)
    await commits()
    await claims()
    await Promise.all([claims(), commits(), claims()])
    expect(synchronous()).toBe(2)
    await store.close()
    remove()
  })

  it('is synced at every commit, those of claims too, where the file system allows no WAL', async () => {
    const { filename, remove } = temporaryFile()
    const store = sqliteStore({ filename: `file:${filename}?vfs=unix-dotfile`, driver: 'node:sqlite' })
    await store.migrate()
    let pragma = (_name: string): unknown => undefined
    await commit(store, here, async ({ native }) => {
      pragma = (name) => (native as DatabaseSync).prepare(`PRAGMA ${name}`).get()?.[name]
    })
    await store.claimDeliveries(claimRequest)
    expect([pragma('journal_mode'), pragma('synchronous')]).toEqual(['delete', 2])
    await store.close()
    remove()
  })

  it('takes nothing that has to last into one that is not synced', async () => {
    const { filename, remove } = temporaryFile()
    const database = new Database(filename)
    const queue = new CommitQueue(connectionOf(database))
    const synced: unknown[] = []
    const note = () => void synced.push(database.pragma('synchronous', { simple: true }))
    let late: Promise<void> | undefined
    await queue.unit(
      async () => {
        note()
        late = queue.unit(async () => note())
      },
      { lasting: false },
    )
    await late
    expect(synced).toEqual([1, 2])
    database.close()
    remove()
  })

  it('is synced at every commit on a connection of the host too, those of claims included', async () => {
    const { filename, remove } = temporaryFile()
    const database = new Database(filename)
    database.pragma('synchronous = NORMAL')
    const store = sqliteStore({ database })
    expect(database.pragma('synchronous', { simple: true })).toBe(2)
    await store.migrate()
    await store.claimDeliveries(claimRequest)
    expect(database.pragma('synchronous', { simple: true })).toBe(2)
    await store.close()
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    database.close()
    remove()
  })
})
