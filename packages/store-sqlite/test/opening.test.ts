import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { ok } from '@quittance/core'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { find, here, seed } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import type { OpeningRace } from './opening-worker.ts'
import { temporaryFile } from './temporary-file.ts'

const workers = 2
const files = 100

function temporaryFolder(): string {
  const { filename, remove } = temporaryFile()
  onTestFinished(remove)
  return dirname(filename)
}

describe.each(['better-sqlite3', 'node:sqlite'] as const)('opening a file with %s', (driver) => {
  // SQLite itself does not wait for another that is changing the same new file to WAL: "database is locked", at once.
  it('works for all who open the same new file at once', async () => {
    const arrived = new Int32Array(new SharedArrayBuffer(files * Int32Array.BYTES_PER_ELEMENT))
    const workerData: OpeningRace = { folder: temporaryFolder(), driver, arrived, workers }
    const execArgv = ['--conditions=@quittance/source']
    const racing = Array.from({ length: workers }, async () => {
      const worker = new Worker(new URL('opening-worker.ts', import.meta.url), { workerData, execArgv })
      onTestFinished(async () => void (await worker.terminate()))
      const [faults] = (await once(worker, 'message')) as [string[]]
      return faults
    })
    expect(await Promise.all(racing)).toEqual([[], []])
  })

  it.each<[string, (name: string) => unknown]>([
    ['it is a folder', (name) => mkdirSync(name)],
    ['its folder is missing', () => undefined],
    [
      'it is no database',
      (name) => writeFileSync(name, 'a text that is as long as the header of a database'),
    ],
  ])('says which one cannot be opened: %s', (what, prepare) => {
    const filename = join(temporaryFolder(), what === 'its folder is missing' ? 'missing/shop.db' : 'shop.db')
    prepare(filename)
    expect(() => sqliteStore({ filename, driver })).toThrow(`${filename} cannot be opened: `)
  })
})

it.each(['better-sqlite3', 'node:sqlite'] as const)(
  'the log of %s that has grown large is cut off again',
  async (driver) => {
    const filename = join(temporaryFolder(), 'shop.db')
    const store = sqliteStore({ filename, driver })
    onTestFinished(() => store.close())
    await store.migrate()
    const log_bytes = () => statSync(`${filename}-wal`).size
    const most_bytes = 32 * 1024 * 1024
    await store.transaction(here, async ({ native }) => {
      const database = native as DatabaseSync | Database.Database
      database.exec(`CREATE TABLE large AS SELECT zeroblob(${most_bytes + 1}) AS bytes`)
      return ok(null)
    })
    expect(log_bytes()).toBeGreaterThan(most_bytes)
    await seed(store, here, [['customers', sampleRow('customers', here, 'next')]])
    expect(log_bytes()).toBe(most_bytes)
  },
)

// It read from whatever had that name in the folder that is the process's own now, or found nothing there.
it.each([
  ['better-sqlite3', (name: string) => new Database(name)],
  ['node:sqlite', (name: string) => new DatabaseSync(name)],
])(
  'a connection of %s is read where it was opened, also after its process has gone elsewhere',
  async (_, open) => {
    const [opened_in, gone_to, before] = [temporaryFolder(), temporaryFolder(), process.cwd()]
    onTestFinished(() => process.chdir(before))
    process.chdir(opened_in)
    const database = open('shop.db')
    onTestFinished(() => void database.close())
    process.chdir(gone_to)
    const store = sqliteStore({ database })
    onTestFinished(() => store.close())
    await store.migrate()
    await seed(store, here, [['customers', sampleRow('customers', here, 'one')]])
    expect(await find(store, here, 'customers', 'one')).toBeDefined()
  },
)

// Node 22.12 is enough for the rest of Quittance, and there its binary ended the process without a word.
it('is refused with better-sqlite3 on a Node that it would end', () => {
  const [filename, napi] = [join(temporaryFolder(), 'shop.db'), process.versions.napi]
  onTestFinished(() => setNodeApi(napi))
  setNodeApi('9')
  expect(() => sqliteStore({ filename })).toThrow('better-sqlite3 needs Node 22.14 or newer.')
})

function setNodeApi(value: string | undefined): void {
  Object.defineProperty(process.versions, 'napi', { value, configurable: true, enumerable: true })
}

// Node gives everything that such a program imports a `__filename`, `[eval]`.
it('works in a program that is given on the command line', async () => {
  const program = `import('@quittance/store-sqlite').then(async ({ sqliteStore }) => {
    const store = sqliteStore({ filename: ':memory:' })
    await store.migrate()
    await store.close()
    console.log('closed')
  })`
  const args = ['--conditions=@quittance/source', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  expect(stdout).toBe('closed\n')
})

it('is refused on a connection that is in a transaction', () => {
  const database = new Database(join(temporaryFolder(), 'shop.db'))
  onTestFinished(() => void database.close())
  database.exec('BEGIN')
  expect(() => sqliteStore({ database })).toThrow('`database` is in a transaction')
  database.exec('COMMIT')
  expect(() => sqliteStore({ database })).not.toThrow()
})

// The race of two that open the same new file meets this only now and then.
it('waits where another process is changing the file to WAL, for which SQLite itself does not', () => {
  const database = new Database(join(temporaryFolder(), 'shop.db'))
  onTestFinished(() => void database.close())
  vi.spyOn(database, 'exec').mockImplementationOnce(() => {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  })
  const store = sqliteStore({ database })
  onTestFinished(() => store.close())
  expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
})

it.each([
  ['better-sqlite3', Database.prototype],
  ['node:sqlite', DatabaseSync.prototype],
] as const)('closes a file again with %s that it could not make use of', (driver, connection) => {
  const filename = join(temporaryFolder(), 'shop.db')
  writeFileSync(filename, 'a text that is as long as the header of a database')
  const closing = vi.spyOn(connection, 'close')
  onTestFinished(() => closing.mockRestore())
  expect(() => sqliteStore({ filename, driver })).toThrow('cannot be opened')
  expect(closing).toHaveBeenCalledOnce()
})
