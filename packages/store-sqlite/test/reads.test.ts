import type { Store } from '@quittance/core'
import { Statements } from '@quittance/store-sql'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { find, here, seed, turnOfTheLoop } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { CommitQueue } from '../src/commit-queue.ts'
import { type Connection, connectionOf, type Prepared } from '../src/database.ts'
import { sqliteDialect } from '../src/dialect.ts'
import { KnownKeys } from '../src/known-keys.ts'
import { SharedReads } from '../src/shared-reads.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import { temporaryFile } from './temporary-file.ts'

const customer = (id: string) => sampleRow('customers', here, id)
const key = sampleRow('api_keys', here, 'key')
const workspace = sampleRow('workspaces', here, here.workspace)

describe('reads on a file', () => {
  let file: ReturnType<typeof temporaryFile>
  let store: Store
  let reader: Database.Database
  let reads: SharedReads
  let made: string[]
  beforeEach(async () => {
    made = []
    file = temporaryFile()
    store = sqliteStore({ filename: file.filename })
    await store.migrate()
    reader = new Database(file.filename, { readonly: true, verbose: (sql) => made.push(String(sql)) })
    reads = new SharedReads(connectionOf(reader))
  })
  afterEach(async () => {
    await store.close()
    reader.close()
    file.remove()
  })
  const read = (sql: string) => reads.all({ sql }, [])

  it('that are asked for in one turn share a transaction', async () => {
    const asked = [read('SELECT 1 AS "one"'), Promise.resolve().then(() => read('SELECT 2 AS "two"'))]
    expect(await Promise.all(asked)).toEqual([[{ one: 1 }], [{ two: 2 }]])
    expect(made).toEqual(['BEGIN', 'SELECT 1 AS "one"', 'SELECT 2 AS "two"', 'COMMIT'])
    made.length = 0
    await read('SELECT 3 AS "three"')
    expect(made).toEqual(['BEGIN', 'SELECT 3 AS "three"', 'COMMIT'])
  })

  it('fail alone', async () => {
    const [before, failing, after] = await Promise.allSettled([
      read('SELECT 1 AS "one"'),
      read('SELECT * FROM "nothing"'),
      read('SELECT 2 AS "two"'),
    ])
    expect(before).toMatchObject({ status: 'fulfilled' })
    expect(failing).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching('nothing') },
    })
    expect(after).toMatchObject({ status: 'fulfilled' })
  })

  it('are made at once where they follow from what was answered, before anything else can happen', async () => {
    const turns = countedTurns()
    for (const step of [1, 2, 3]) await read(`SELECT ${step} AS "step"`)
    expect(turns()).toBeLessThanOrEqual(1)
    expect(made.filter((sql) => sql === 'COMMIT')).toHaveLength(3)
  })

  it('leave others their turn where each follows from the one before without end', async () => {
    const turns = countedTurns()
    for (let step = 0; step < 160; step += 1) await read('SELECT 1 AS "one"')
    expect(turns()).toBeGreaterThanOrEqual(9)
    expect(turns()).toBeLessThanOrEqual(11)
  })

  it('fail, and the next ones do not, where their transaction could not be ended', async () => {
    reads = new SharedReads(failingOnceAt(reader, ['COMMIT']))
    expect(await read('SELECT 1 AS "one"')).toEqual([{ one: 1 }])
    expect(reader.inTransaction).toBe(false)
    expect(await read('SELECT 2 AS "two"')).toEqual([{ two: 2 }])
  })

  it('fail for as long as their transaction can be neither ended nor undone', async () => {
    reads = new SharedReads(failingOnceAt(reader, ['COMMIT', 'ROLLBACK']))
    expect(await read('SELECT 1 AS "one"')).toEqual([{ one: 1 }])
    await expect(read('SELECT 2 AS "two"')).rejects.toThrow('within a transaction')
    expect(await read('SELECT 3 AS "three"')).toEqual([{ three: 3 }])
    await reads.idle()
  })

  it('see what was committed on another connection before they were asked for, in the same turn too', async () => {
    const host = new Database(file.filename)
    await seed(store, here, [['customers', customer('one')]])
    const one = find(store, here, 'customers', 'one')
    host.exec(`DELETE FROM "quittance_customers" WHERE "id" = 'one'`)
    host.close()
    const none = find(store, here, 'customers', 'one')
    await one
    expect(await none).toBeUndefined()
  })

  it('are answered to their end where the store is closed after they were asked for, and refused later', async () => {
    await seed(store, here, [['customers', customer('one')]])
    const asked = store.read(here, async ({ customers }) => {
      for (let step = 0; step < 5; step += 1) await customers.get('one')
      return customers.get('one')
    })
    await store.close()
    expect(await asked).toEqual(customer('one'))
    await expect(find(store, here, 'customers', 'one')).rejects.toThrow('not open')
  })

  it('look a known key up again only after a commit, and never remember that there is none', async () => {
    const keys = new KnownKeys(reads, new Statements(sqliteDialect))
    const looked = () => made.splice(0).filter((sql) => sql.includes('api_keys')).length
    expect(await keys.find(key.hash)).toBeUndefined()
    expect(await keys.find(key.hash)).toBeUndefined()
    expect(looked()).toBe(2)
    await seed(store, here, [
      ['workspaces', workspace],
      ['api_keys', key],
    ])
    expect(await Promise.all([keys.find(key.hash), keys.find(key.hash)])).toEqual([
      { key, workspace },
      { key, workspace },
    ])
    expect(await keys.find(key.hash)).toEqual({ key, workspace })
    expect(looked()).toBe(1)
    await seed(store, here, [['customers', customer('another')]])
    expect(await keys.find(key.hash)).toEqual({ key, workspace })
    expect(looked()).toBe(1)
  })
})

describe('reads in memory', () => {
  it('may be nested while a unit of work waits for them', { timeout: 10_000 }, async () => {
    const store = sqliteStore({ filename: ':memory:' })
    await store.migrate()
    let seeded = Promise.resolve()
    const nested = await store.read(here, async () => {
      seeded = seed(store, here, [['customers', customer('one')]])
      await turnOfTheLoop()
      return find(store, here, 'customers', 'one')
    })
    expect(nested).toBeUndefined()
    await seeded
    expect(await find(store, here, 'customers', 'one')).toEqual(customer('one'))
    await store.close()
  })

  it('hold up a unit of work that waits for others, so that they see nothing that it may take back', async () => {
    const queue = new CommitQueue(connectionOf(new Database(':memory:')))
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const reads = [queue.between(() => first.promise)]
    let written = false
    const unit = queue.unit(async () => {
      written = true
    })
    await turnOfTheLoop()
    reads.push(queue.between(() => second.promise))
    first.resolve()
    await turnOfTheLoop()
    expect(written).toBe(false)
    second.resolve()
    await Promise.all([...reads, unit])
    expect(written).toBe(true)
  })

  // It would keep the process alive for as long as they are patient.
  it('leave no timer behind once they were made', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const queue = new CommitQueue(connectionOf(new Database(':memory:')))
    const begun = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const unit = queue.unit(() => {
      begun.resolve()
      return held.promise
    })
    await begun.promise
    const before = timers()
    const read = queue.between(async () => 'read')
    expect(timers()).toBe(before + 1)
    held.resolve()
    expect(await read).toBe('read')
    expect(timers()).toBe(before)
    await unit
  })

  it('are answered to their end where the store is closed meanwhile', async () => {
    const store = sqliteStore({ filename: ':memory:' })
    await store.migrate()
    await seed(store, here, [['customers', customer('one')]])
    const asked = store.read(here, async ({ customers }) => {
      await turnOfTheLoop()
      return customers.get('one')
    })
    await store.close()
    expect(await asked).toEqual(customer('one'))
  })

  it('are refused, and say what to use, where the unit of work that they wait for waits for them', async () => {
    const queue = new CommitQueue(connectionOf(new Database(':memory:')), { patience_ms: 20 })
    await expect(queue.unit(() => queue.between(async () => 'read'))).rejects.toThrow(
      'in a listener, use `engine.withTransaction(tx)`',
    )
    expect(await queue.between(async () => 'read')).toBe('read')
    expect(await queue.unit(async () => 'written')).toBe('written')
  })
})

describe.each(['better-sqlite3', 'node:sqlite'] as const)('a file that was closed, by %s,', (driver) => {
  it('refuses reads and writes at once, and may be closed once more', { timeout: 10_000 }, async () => {
    const { filename, remove } = temporaryFile()
    const store = sqliteStore({ filename, driver })
    await store.migrate()
    await store.close()
    await expect(find(store, here, 'customers', 'one')).rejects.toThrow('not open')
    await expect(seed(store, here, [['customers', customer('one')]])).rejects.toThrow(/not open|finalized/)
    await store.close()
    remove()
  })
})

/** How many turns the event loop has taken since. */
function countedTurns(): () => number {
  let turns = 0
  const turn = () => {
    turns += 1
    setImmediate(turn).unref()
  }
  setImmediate(turn).unref()
  return () => turns
}

/** A connection on which each of these statements fails the first time. */
function failingOnceAt(reader: Database.Database, statements: string[]): Connection {
  const connection = connectionOf(reader)
  const failing = new Set(statements)
  const attempt = (sql: string) => {
    if (failing.delete(sql)) throw new Error('the disk is gone')
  }
  const exec = (sql: string) => {
    attempt(sql)
    connection.exec(sql)
  }
  const prepare = (sql: string): Prepared => {
    const statement = connection.prepare(sql)
    return {
      all: (...parameters) => statement.all(...parameters),
      run(...parameters) {
        attempt(sql)
        return statement.run(...parameters)
      },
    }
  }
  return Object.create(connection, { exec: { value: exec }, prepare: { value: prepare } })
}
