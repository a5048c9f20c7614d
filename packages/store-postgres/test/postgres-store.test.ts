import pg from 'pg'
import { describeStore } from '../../testing/src/describe-store.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { testDatabase } from './database.ts'

const database = testDatabase()

describeStore(
  'the Postgres store on a pool of its own',
  async () => {
    const { connectionString, schema, drop } = database()
    const name = schema()
    const store = postgresStore({ connectionString }, name)
    return {
      store,
      reopen: async () => postgresStore({ connectionString }, name),
      async close() {
        await store.close()
        await drop(name)
      },
    }
  },
  { processes: true },
)

describeStore(
  'the Postgres store on a pool of the host',
  async () => {
    const { connectionString, schema, drop } = database()
    const name = schema()
    const pools: pg.Pool[] = []
    const open = () => {
      const pool = new pg.Pool({ connectionString, max: 4 })
      pools.push(pool)
      return postgresStore({ pool }, name)
    }
    const store = open()
    return {
      store,
      reopen: async () => open(),
      async close() {
        await store.close()
        for (const pool of pools) await pool.end()
        await drop(name)
      },
    }
  },
  { processes: true },
)
