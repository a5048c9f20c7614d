import Database from 'better-sqlite3'
import { describeStore } from '../../testing/src/describe-store.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import { hostOf, kinds } from './host.ts'
import { temporaryFile } from './temporary-file.ts'

describeStore(
  'the SQLite store on a file',
  async () => {
    const { filename, remove } = temporaryFile()
    const store = sqliteStore({ filename })
    return {
      store,
      reopen: async () => sqliteStore({ filename }),
      async close() {
        await store.close()
        remove()
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
  'the SQLite store on a connection of the host in memory',
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

describeStore(
  'the SQLite store on a connection of the host on a file',
  async () => {
    const { filename, remove } = temporaryFile()
    const database = new Database(filename)
    const store = sqliteStore({ database })
    const host = hostOf(database)
    return {
      store,
      host,
      async close() {
        await store.close()
        host.close()
        database.close()
        remove()
      },
    }
  },
  { processes: false, joins: kinds },
)
