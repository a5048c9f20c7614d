import {
  type Logger as GraphileLogger,
  Logger,
  makeWorkerUtils,
  type Runner,
  run,
  type TaskList,
} from 'graphile-worker'
import pg from 'pg'
import { type Contender, counter, eventBody, type Ground, poster } from './contender.ts'

export const graphileWorkerAsItComes = (ground: Ground) => graphileWorker(ground, {})

/** Jobs fetched 500 at a time, and their ends recorded together. */
export const graphileWorkerTuned = (ground: Ground) =>
  graphileWorker(ground, { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 })

async function graphileWorker(ground: Ground, worker: object): Promise<Contender> {
  const { postgres: connectionString, name: schema, concurrency } = ground
  const pool = new pg.Pool({ connectionString })
  const logger: GraphileLogger = new Logger(() => () => {})
  const own = { connectionString, schema, maxPoolSize: concurrency + 5, concurrentJobs: concurrency, logger }
  const preset = { worker: { ...worker, ...own } }
  const utils = await makeWorkerUtils({ preset })
  await utils.migrate()
  await pool.query(`CREATE TABLE "${schema}".host_rows (id text PRIMARY KEY)`)
  const post = poster(ground)
  const ended = counter()
  const taskList: TaskList = { post: async (job) => post(...(job as [string, string])) }
  let filled = 0
  const start = async (): Promise<Runner> => {
    const runner = await run({ preset, taskList, noHandleSignals: true })
    runner.events.on('job:success', () => ended.one())
    return runner
  }
  return {
    async fill(count) {
      filled = count
      const ids = Array.from({ length: count }, (_, index) => `${schema}-${index}`)
      await utils.addJobs(ids.map((id) => ({ identifier: 'post', payload: [id, eventBody(id)] })))
    },
    async file() {
      filled += 1
      const id = `${schema}-${filled}`
      const client = await pool.connect()
      await client.query('BEGIN')
      await client.query(`INSERT INTO "${schema}".host_rows VALUES ($1)`, [id])
      await client.query(`SELECT "${schema}".add_job('post', $1::json)`, [
        JSON.stringify([id, eventBody(id)]),
      ])
      await client.query('COMMIT')
      client.release()
      return id
    },
    async drain() {
      const all = ended.all(filled)
      await start()
      await all
    },
    start: async () => void (await start()),
  }
}
