/** Where a contender keeps its jobs, and where it sends them. */
export interface Ground {
  /** A database file of its own, and the URLs of servers that are shared. */
  file: string
  postgres: string
  redis: string
  /** The name of its schema or the prefix of its keys, which nothing else uses. */
  name: string
  /** The receiver's. */
  url: string
  /** Jobs at a time. */
  concurrency: number
}

/** A system that delivers reliably, opened without any deliveries. */
export interface Contender {
  /** Files `count` deliveries, all due. */
  fill(count: number): Promise<void>
  /** Files one more, and resolves to its id once it is committed. */
  file(): Promise<string>
  /** Begins to send what was filed and what will be. Resolves once nothing filed is left. */
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

/** Milliseconds, the same in every process of this machine. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now()
}
