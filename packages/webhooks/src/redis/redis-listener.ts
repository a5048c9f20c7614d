import { Outage } from '../outage.ts'
import { openConnection, type RedisConnection, type RedisContext } from './redis-connection.ts'

/**
 * Listens for deliveries filed by other processes: connecting -> subscribed -> disconnected -> connecting, until it is
 * closed. Redis keeps no messages for absent subscribers, so every subscription begins with a wake-up.
 */
export class Listener {
  readonly #context: RedisContext
  readonly #outage: Outage
  readonly #connection: RedisConnection
  readonly #wakers = new Set<() => void>()
  #isClosed = false
  #cancelRetry = () => {}

  constructor(context: RedisContext) {
    this.#context = context
    this.#outage = new Outage(context.logger, 'listening for deliveries through Redis')
    this.#connection = openConnection(context.redis, {
      outage: this.#outage,
      onReady: () => void this.#subscribe(),
    })
    this.#connection.redis.on('message', (_channel: string, from: string) => {
      // The commit itself has already woken its own process.
      if (from !== context.self) this.#wake()
    })
  }

  listen(wake: () => void): () => void {
    // One entry per call, even if the same function is passed twice.
    const waker = () => wake()
    this.#wakers.add(waker)
    return () => this.#wakers.delete(waker)
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRetry()
    this.#connection.close()
  }

  async #subscribe(): Promise<void> {
    this.#cancelRetry()
    try {
      await this.#connection.redis.subscribe(this.#context.channel)
    } catch (fault) {
      if (!this.#isClosed) this.#retryAfter(this.#outage.failed(fault))
      return
    }
    this.#outage.worked()
    this.#wake()
  }

  /** If the connection is gone by then, the next connection subscribes. */
  #retryAfter(backoff_ms: number): void {
    this.#cancelRetry = this.#context.clock.after(backoff_ms, () => {
      if (this.#connection.redis.status === 'ready') void this.#subscribe()
    })
  }

  #wake(): void {
    for (const wake of this.#wakers) wake()
  }
}
