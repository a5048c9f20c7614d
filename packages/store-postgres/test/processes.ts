import type { Store } from '@quittance/core'
import { afterEach, beforeEach } from 'vitest'
import { postgresStore } from '../src/postgres-store.ts'
import type { Database } from './database.ts'

export interface Processes {
  schema: string
  /** Each with connections of its own. */
  stores: Store[]
  /** The first of them. */
  store: Store
}

/** Eight stores on one new schema, as so many processes have them, for each test of the surrounding `describe`. */
export function eachWithProcesses(database: () => Database): () => Processes {
  let opened: Processes | undefined
  beforeEach(async () => {
    const { connectionString, schema } = database()
    const name = schema()
    const open = () => postgresStore({ connectionString, connections: 3, schema: name })
    const store = open()
    opened = { schema: name, store, stores: [store, ...Array.from({ length: 7 }, open)] }
    await store.migrate()
  })
  afterEach(async () => {
    if (opened === undefined) return
    await Promise.all(opened.stores.map((each) => each.close()))
    await database().drop(opened.schema)
    opened = undefined
  })
  return () => {
    if (opened === undefined) throw new Error('processes are there only inside a test')
    return opened
  }
}
