import { Queue, Worker } from 'bullmq'
import { type Contender, counter, eventBody, type Ground, poster } from './contender.ts'

/** As it comes: it cannot share a transaction with a row. Redis syncs its log at every write. */
export async function bullmq(ground: Ground): Promise<Contender> {
  const { hostname: host, port } = new URL(ground.redis)
  const connection = { host, port: Number(port), maxRetriesPerRequest: null }
  const queue = new Queue<string>(ground.name, { connection })
  const post = poster(ground)
  const ended = counter()
  let filled = 0
  const start = async () => {
    const worker = new Worker<string>(ground.name, async ({ name, data }) => post(name, data), {
      connection,
      concurrency: ground.concurrency,
    })
    worker.on('completed', () => ended.one())
    await worker.waitUntilReady()
  }
  return {
    async fill(count) {
      filled = count
      for (let first = 0; first < count; first += 500) {
        const ids = Array.from({ length: 500 }, (_, index) => `${ground.name}-${first + index}`)
        await queue.addBulk(ids.map((name) => ({ name, data: eventBody(name) })))
      }
    },
    async file() {
      filled += 1
      const id = `${ground.name}-${filled}`
      await queue.add(id, eventBody(id))
      return id
    },
    async drain() {
      const all = ended.all(filled)
      await start()
      await all
    },
    start,
  }
}
