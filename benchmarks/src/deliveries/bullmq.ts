import { Queue, Worker } from 'bullmq'
import type { Contender, Ground } from './contender.ts'
import type { DeliveryLog } from './delivery-log.ts'
import { type Queue as PeerQueue, peer } from './peer.ts'

/** With its defaults. It cannot share a transaction with a row. Redis syncs its log at every write. */
export async function bullmq(ground: Ground, log?: DeliveryLog): Promise<Contender> {
  const { hostname: host, port } = new URL(ground.redis)
  const connection = { host, port: Number(port), maxRetriesPerRequest: null }
  const queue = new Queue<string>(ground.name, { connection })
  const queued: PeerQueue = {
    fill: (events) => queue.addBulk(events.map(({ id, body }) => ({ name: id, data: body }))),
    async file({ id, body }) {
      await log?.file([id])
      await queue.add(id, body)
    },
    async start(post, ended) {
      const worker = new Worker<string>(ground.name, ({ name, data }) => post({ id: name, body: data }), {
        connection,
        concurrency: ground.concurrency,
      })
      worker.on('completed', ended)
      await worker.waitUntilReady()
    },
  }
  return peer(ground, queued, log)
}
