import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { type Contender, eventBody, type Ground } from './contender.ts'

export interface PeerEvent {
  id: string
  body: string
}

/** What a team would take instead. */
export interface Queue {
  fill(events: readonly PeerEvent[]): Promise<unknown>
  /** In one transaction with a row of the host's, where it can share one. */
  file(event: PeerEvent): Promise<unknown>
  /** Begins to `post` what was filed, and tells of each event whose job has ended. */
  start(post: (event: PeerEvent) => Promise<void>, ended: () => void): Promise<unknown>
}

const batch = 500

/** A queue as a contender. */
export function peer(ground: Ground, queue: Queue): Contender {
  let filed = 0
  let open = 0
  let drained = () => {}
  const next = (): PeerEvent => {
    const id = `${ground.name}-${filed}`
    filed += 1
    open += 1
    return { id, body: eventBody(id) }
  }
  const start = async () => {
    await queue.start(poster(ground), () => {
      open -= 1
      if (open === 0) drained()
    })
  }
  return {
    async fill(count) {
      while (filed < count) await queue.fill(Array.from({ length: Math.min(batch, count - filed) }, next))
    },
    async file() {
      const event = next()
      await queue.file(event)
      return event.id
    },
    async drain() {
      const all = new Promise<void>((resolve) => {
        drained = resolve
      })
      await start()
      await all
    },
    start,
  }
}

/** What a peer's job does, written by hand: signs the event and posts it over connections that are kept. */
function poster({ url, concurrency }: Ground): (event: PeerEvent) => Promise<void> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: concurrency })
  return async ({ id, body }) => {
    const t = Math.floor(Date.now() / 1000)
    const digest = createHmac('sha256', 'whsec_benchmark').update(`${t}.${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'service-event-id': id,
      'service-signature': `t=${t},v1=${digest}`,
    }
    const answer = await pool.request({ method: 'POST', path: pathname, headers, body })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
  }
}
