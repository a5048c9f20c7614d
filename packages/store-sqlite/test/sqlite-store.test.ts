import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describeStore } from '../../testing/src/describe-store.ts'
import { sqliteStore } from '../src/sqlite-store.ts'

describeStore(
  'the SQLite store on a file',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-'))
    const filename = join(folder, 'test.db')
    const store = sqliteStore({ filename })
    return {
      store,
      reopen: async () => sqliteStore({ filename }),
      async close() {
        await store.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
  { processes: true },
)

describeStore(
  'the SQLite store in memory',
  async () => {
    const store = sqliteStore({ filename: ':memory:' })
    return { store, close: () => store.close() }
  },
  { processes: false },
)

describeStore(
  'the SQLite store on a connection of the host',
  async () => {
    const database = new Database(':memory:')
    const store = sqliteStore({ database })
    return {
      store,
      async close() {
        await store.close()
        database.close()
      },
    }
  },
  { processes: false },
)
