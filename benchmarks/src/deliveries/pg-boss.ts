import { type Job, PgBoss } from 'pg-boss'
import type { Contender, Ground } from './contender.ts'
import type { PostgresLog } from './delivery-log.ts'
import { hostRows } from './host-rows.ts'
import { type PeerEvent, peer, type Queue } from './peer.ts'

/** With NOTIFY, in full batches without a pause. Each job is settled by itself: one that fails does not fail others. */
export async function pgBossTuned(ground: Ground, log?: PostgresLog): Promise<Contender> {
  const { postgres: connectionString, name: schema, concurrency } = ground
  const boss = new PgBoss({ connectionString, schema, useListenNotify: true })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('post', { notify: true })
  const besideRow = await hostRows(ground, log)
  const options = {
    batchSize: concurrency,
    burstWhenBatchFull: true,
    perJobResults: true,
    pollingIntervalSeconds: 0.5,
  } as const
  const queue: Queue = {
    fill: (events) =>
      boss.insert(
        'post',
        events.map((data) => ({ data })),
      ),
    file: (event) =>
      besideRow(event.id, (client) => {
        const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
        return boss.send('post', event, { db })
      }),
    start(post, ended) {
      const attempt = async ({ id, data }: Job<PeerEvent>) => {
        await post(data)
        ended()
        return { id, status: 'completed' as const }
      }
      return boss.work<PeerEvent>('post', options, (jobs) => Promise.all(jobs.map(attempt)))
    },
  }
  return peer(ground, queue, log)
}
