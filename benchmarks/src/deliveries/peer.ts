import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { type Contender, eventBody, type Ground } from './contender.ts'
import type { DeliveryLog, Outcome, Target } from './delivery-log.ts'

export interface PeerEvent {
  id: string
  body: string
}

/** What a team would use instead. */
export interface Queue {
  fill(events: readonly PeerEvent[]): Promise<unknown>
  /** In one transaction with a row of the host, if it can share one. */
  file(event: PeerEvent): Promise<unknown>
  /** Begins to `post` what was filed, and calls `ended` whenever a job has ended. */
  start(post: (event: PeerEvent) => Promise<void>, ended: () => void): Promise<unknown>
}

const batch = 500

/**
 * A queue as a contender. With a log it does the same work as ours: it reads where the event goes, and records the outcome
 * before its job ends. Without a log it posts and records nothing.
 */
export function peer(ground: Ground, queue: Queue, log?: DeliveryLog): Contender {
  const send = poster(ground)
  const post = async (event: PeerEvent) => {
    if (log === undefined) await send(event)
    else await log.record(await send(event, await log.target()))
  }
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
    await queue.start(post, () => {
      open -= 1
      if (open === 0) drained()
    })
  }
  return {
    async fill(count) {
      while (filed < count) {
        const events = Array.from({ length: Math.min(batch, count - filed) }, next)
        await log?.file(events.map(({ id }) => id))
        await queue.fill(events)
      }
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

type Post = (event: PeerEvent, target?: Target) => Promise<Outcome>

/** What a peer's job does, written by hand: signs the event and posts it over keep-alive connections. */
function poster({ url, concurrency }: Ground): Post {
  const { origin } = new URL(url)
  const pool = new Pool(origin, { connections: concurrency })
  return async ({ id, body }, target = { url, secret: 'whsec_benchmark' }) => {
    const started_at = new Date().toISOString()
    const t = Math.floor(Date.now() / 1000)
    const digest = createHmac('sha256', target.secret).update(`${t}.${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'service-event-id': id,
      'service-signature': `t=${t},v1=${digest}`,
    }
    const path = new URL(target.url).pathname
    const answer = await pool.request({ method: 'POST', path, headers, body })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
    return { id, started_at, response_status: answer.statusCode }
  }
}
