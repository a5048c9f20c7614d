import { Queue, Worker } from 'bullmq'
import type { Contender, Ground } from './contender.ts'
import { peer } from './peer.ts'

/** As it comes: it cannot share a transaction with a row. Redis syncs its log at every write. */
export async function bullmq(ground: Ground): Promise<Contender> {
  const { hostname: host, port } = new URL(ground.redis)
  const connection = { host, port: Number(port), maxRetriesPerRequest: null }
  const queue = new Queue<string>(ground.name, { connection })
  return peer(ground, {
    fill: (events) => queue.addBulk(events.map(({ id, body }) => ({ name: id, data: body }))),
    file: ({ id, body }) => queue.add(id, body),
    async start(post, ended) {
      const worker = new Worker<string>(ground.name, ({ name, data }) => post({ id: name, body: data }), {
        connection,
        concurrency: ground.concurrency,
      })
      worker.on('completed', ended)
      await worker.waitUntilReady()
    },
  })
}
