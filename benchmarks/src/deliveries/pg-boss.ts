import pg from 'pg'
import { type Job, PgBoss } from 'pg-boss'
import { type Contender, counter, eventBody, type Ground, poster } from './contender.ts'

/** With NOTIFY, in full batches without a pause, each job settled by itself: one that fails takes no other with it. */
export async function pgBossTuned(ground: Ground): Promise<Contender> {
  const { postgres: connectionString, name: schema, concurrency } = ground
  const boss = new PgBoss({ connectionString, schema, useListenNotify: true })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('post', { notify: true })
  const pool = new pg.Pool({ connectionString })
  await pool.query(`CREATE TABLE "${schema}".host_rows (id text PRIMARY KEY)`)
  const post = poster(ground)
  const ended = counter()
  let filled = 0
  const start = () =>
    boss.work<Event>(
      'post',
      { batchSize: concurrency, burstWhenBatchFull: true, perJobResults: true, pollingIntervalSeconds: 0.5 },
      (jobs) => Promise.all(jobs.map(attempt)),
    )
  const attempt = async ({ id, data }: Job<Event>) => {
    await post(data.id, data.body)
    ended.one()
    return { id, status: 'completed' as const }
  }
  return {
    async fill(count) {
      filled = count
      for (let first = 0; first < count; first += 500) {
        const ids = Array.from({ length: 500 }, (_, index) => `${schema}-${first + index}`)
        await boss.insert(
          'post',
          ids.map((id) => ({ data: { id, body: eventBody(id) } })),
        )
      }
    },
    async file() {
      filled += 1
      const id = `${schema}-${filled}`
      const client = await pool.connect()
      await client.query('BEGIN')
      await client.query(`INSERT INTO "${schema}".host_rows VALUES ($1)`, [id])
      const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
      await boss.send('post', { id, body: eventBody(id) }, { db })
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

interface Event {
  id: string
  body: string
}
