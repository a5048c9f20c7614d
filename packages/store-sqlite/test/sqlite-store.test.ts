import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { describeStore } from '../../testing/src/describe-store.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import { hostOf, kinds, node_kinds, nodeHostOf } from './host.ts'
import { temporaryFile } from './temporary-file.ts'

for (const driver of ['better-sqlite3', 'node:sqlite'] as const) {
  describeStore(
    `the SQLite store on a file, by ${driver}`,
    async () => {
      const { filename, remove } = temporaryFile()
      const store = sqliteStore({ filename, driver })
      return {
        store,
        reopen: async () => sqliteStore({ filename, driver }),
        async close() {
          await store.close()
          remove()
        },
      }
    },
    { processes: true },
  )

  describeStore(
    `the SQLite store in memory, by ${driver}`,
    async () => {
      const store = sqliteStore({ filename: ':memory:', driver })
      return { store, close: () => store.close() }
    },
    { processes: false },
  )
}

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

describeStore(
  'the SQLite store on a connection of the host by node:sqlite, whose own rows are arrays with BigInts',
  async () => {
    const { filename, remove } = temporaryFile()
    const database = new DatabaseSync(filename, { readBigInts: true, returnArrays: true })
    const store = sqliteStore({ database })
    const host = nodeHostOf(database, filename)
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
  { processes: false, joins: node_kinds },
)

it.each(['shop.db', undefined])('%j alone is no object of options', (options) => {
  const open = () => sqliteStore(options as unknown as { filename: string })
  expect(open).toThrow('The options of sqliteStore are an object.')
})

it('a file and a database are two databases, and neither is none', () => {
  const database = new Database(':memory:')
  for (const options of [{}, { filename: ':memory:', database }])
    expect(() => sqliteStore(options as { filename: string })).toThrow('either a `filename` or a `database`')
  database.close()
})

it.each([undefined, ''])(
  'the file name %j is refused, because SQLite would delete what it opens',
  (filename) => {
    const open = () => sqliteStore({ filename: filename as string })
    expect(open).toThrow('`filename` names a file, or is `:memory:`.')
  },
)
