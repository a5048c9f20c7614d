import Database from 'better-sqlite3'
import { describeStore } from '../../testing/src/describe-store.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
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

for (const where of ['in memory', 'on a file']) {
  describeStore(
    `the SQLite store on a connection of the host ${where}`,
    async () => {
      const { filename, remove } = temporaryFile()
      const database = new Database(where === 'in memory' ? ':memory:' : filename)
      const store = sqliteStore({ database })
      return {
        store,
        async close() {
          await store.close()
          database.close()
          remove()
        },
      }
    },
    { processes: false },
  )
}
