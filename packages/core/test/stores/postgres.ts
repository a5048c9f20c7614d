import { setImmediate } from 'node:timers/promises'
import { tableNames } from '@quittance/store-sql'
import pg from 'pg'
import { afterAll } from 'vitest'
import { simulatedProcessor } from '../../../processor-simulator/src/index.ts'
import { postgresStore } from '../../../store-postgres/src/postgres-store.ts'
import { type CuttingProxy, cuttingProxy } from '../../../store-postgres/test/cutting-proxy.ts'
import { testDatabase } from '../../../store-postgres/test/database.ts'
import { aroundPorts } from '../../../testing/src/ports/around.ts'
import type { Random } from '../../../testing/src/random.ts'
import type { Store } from '../../src/ports/store.ts'
import { type Hosted, runTestsOn } from './tested-store.ts'

const database = testDatabase()

/** A migrated schema and two stores on it, whose connections stay open: a new one costs 15 ms, a schema 100 ms. */
interface Schema {
  store: Store
  again: Store
  host: pg.Pool
  /** What `again` goes through. */
  line: CuttingProxy
  name: string
}

const schemas: Schema[] = []
const free: Schema[] = []

afterAll(async () => {
  for (const { store, again, host, line } of schemas) {
    await Promise.all([store.close(), again.close(), host.end()])
    await line.close()
  }
})

runTestsOn({
  name: 'Postgres',
  share: 1 / 10,
  repeats: false,
  open: async () => (await openTwice()).store,
  openTwice,
  async late(random) {
    for (let tick = random.below(100); tick > 0; tick -= 1) await setImmediate()
  },
})

async function openTwice() {
  const schema = free.pop() ?? (await newSchema())
  const [store, again] = [lent(schema.store), lent(schema.again)]
  let closed: Promise<void> | undefined
  const close = async () => {
    await Promise.all([store.end(), again.end()])
    await database().pool.query(
      tableNames.map((table) => `DELETE FROM "${schema.name}"."${table}"`).join(';'),
    )
    free.push(schema)
  }
  const closeOnce = () => (closed ??= close())
  return {
    store: { ...store.store, close: closeOnce },
    again: again.store,
    begin: async () => begun(await schema.host.connect()),
    async breakOne(random: Random) {
      if (random.below(2) === 0) await database().pool.query(break_one)
      else schema.line.cutNext(random.pick(['lose answer', 'lose request']))
    },
    close: closeOnce,
  }
}

const break_one = `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'quittance' AND query NOT LIKE 'LISTEN%'
ORDER BY state = 'idle', random() LIMIT 1`

async function newSchema(): Promise<Schema> {
  const { connectionString, schema } = database()
  const name = schema()
  const line = await cuttingProxy(connectionString)
  const open = (through = connectionString) => postgresStore({ connectionString: through, schema: name })
  // Whoever holds rows of several calls gives way soon where that is a deadlock.
  const host = new pg.Pool({ connectionString, options: '-c deadlock_timeout=20ms' })
  const opened = { store: open(), again: open(line.connectionString), host, line, name }
  schemas.push(opened)
  await opened.store.migrate()
  return opened
}

/** The store until `end`, which waits for what is under way. Whoever comes later must not reach the next test's rows. */
function lent(store: Store) {
  const under_way = new Set<Promise<unknown>>()
  let ended = false
  const ports = aroundPorts({ store, processor: simulatedProcessor() }, async (_call, run) => {
    if (ended) throw new Error('the store is closed')
    const answer = run()
    under_way.add(answer)
    try {
      return await answer
    } finally {
      under_way.delete(answer)
    }
  })
  return {
    store: ports.store,
    async end() {
      ended = true
      await Promise.allSettled(under_way)
    },
  }
}

async function begun(native: pg.PoolClient): Promise<Hosted> {
  await native.query('BEGIN')
  const end = async (how: string) => {
    try {
      await native.query(how)
    } finally {
      native.release()
    }
  }
  return { native, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') }
}
