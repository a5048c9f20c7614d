import { createHmac } from 'node:crypto'
import { Pool } from 'undici'

/** Where a contender keeps its jobs, and where it sends them. */
export interface Ground {
  /** A database file of its own, and the URLs of servers that are shared. */
  file: string
  postgres: string
  redis: string
  /** Of its schema or its keys: nobody else uses it. */
  name: string
  /** The receiver's. */
  url: string
  /** Jobs at a time. */
  concurrency: number
}

/** What can be trusted with deliveries, opened without any. */
export interface Contender {
  /** Files so many, all due. */
  fill(count: number): Promise<void>
  /** Files one more, and answers with its id once it is committed. */
  file(): Promise<string>
  /** Begins to send what was filed, and everything after. Resolves once nothing filed is left. */
  drain(): Promise<void>
  /** Begins to send. */
  start(): Promise<void>
}

export type OpenContender = (ground: Ground) => Promise<Contender>

/** 1.2 KB, as a payment's event has. */
export function eventBody(id: string): string {
  return JSON.stringify({
    object: 'event',
    id,
    type: 'payment.succeeded',
    data: { object: { text: 'x'.repeat(1_100) } },
  })
}

/** What a peer's job does, written by hand: signs the event and posts it over connections that are kept. */
export function poster({ url, concurrency }: Ground): (id: string, body: string) => Promise<void> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: concurrency })
  return async (id, body) => {
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

/** Counts jobs that have ended: `all(count)` resolves when so many have. */
export function counter() {
  let ended = 0
  let wanted = Number.POSITIVE_INFINITY
  let reached = () => {}
  return {
    one(): void {
      ended += 1
      if (ended >= wanted) reached()
    },
    all(count: number): Promise<void> {
      return new Promise((resolve) => {
        wanted = count
        reached = resolve
        if (ended >= wanted) resolve()
      })
    },
  }
}

/** Milliseconds, the same in every process of this machine. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now()
}
