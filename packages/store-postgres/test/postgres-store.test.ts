import pg from 'pg'
import { describeStore } from '../../testing/src/describe-store.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { testDatabase } from './database.ts'
import { kinds, openHost } from './host.ts'

const database = testDatabase()

describeStore(
  'the Postgres store on a pool of its own',
  async () => {
    const { connectionString, schema, drop } = database()
    const name = schema()
    const store = postgresStore({ connectionString, schema: name })
    const host = await openHost(connectionString, { of: name, schema: `${name}_host` })
    return {
      store,
      host,
      reopen: async () => postgresStore({ connectionString, schema: name }),
      async close() {
        await store.close()
        await host.close()
        await drop(name)
        await drop(`${name}_host`)
      },
    }
  },
  { processes: true, announces: true, joins: kinds },
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
      return postgresStore({ pool, schema: name })
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
  { processes: true, announces: true },
)
