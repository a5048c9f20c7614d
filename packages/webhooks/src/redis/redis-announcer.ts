import { Outage } from '../outage.ts'
import { openConnection, type RedisConnection, type RedisContext } from './redis-connection.ts'

/**
 * The pause between announcements: a busy process wakes the others at most 200 times a second, because each wake-up
 * makes a claim in the store. Deliveries filed after a pause are announced at once.
 */
const gap_ms = 5

/**
 * Announces on the channel that deliveries were filed: quiet -> announcing -> quiet. One more announcement covers all
 * commits meanwhile. An announcement that failed is repeated when Redis is back.
 */
export class Announcer {
  readonly #context: RedisContext
  readonly #outage: Outage
  readonly #connection: RedisConnection
  #isPending = false
  #isClosed = false
  #publishing: Promise<void> | undefined
  /** Cancels the pause after an announcement, while there is one. */
  #cancelPause: (() => void) | undefined

  constructor(context: RedisContext) {
    this.#context = context
    this.#outage = new Outage(context.logger, 'announcing deliveries through Redis')
    this.#connection = openConnection(context.redis, {
      outage: this.#outage,
      onReady: () => this.#nowConnected(),
    })
  }

  announce(): void {
    this.#isPending = true
    this.#announcePending()
  }

  /** Makes a pending announcement if it can, within two seconds. If not, it is left to the sweeps. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelPause?.()
    await this.#publishing
    if (this.#isPending && this.#connection.redis.status === 'ready') await this.#publish()
    this.#connection.close()
  }

  #nowConnected(): void {
    this.#outage.worked()
    this.#announcePending()
  }

  #announcePending(): void {
    const waits = this.#isClosed || this.#publishing !== undefined || this.#cancelPause !== undefined
    if (waits || !this.#isPending || this.#connection.redis.status !== 'ready') return
    this.#publishing = this.#publish().then((pause_ms) => {
      this.#publishing = undefined
      if (!this.#isClosed) this.#pause(pause_ms)
    })
  }

  /** Returns how long to wait before the next announcement, in ms. Never rejects. */
  async #publish(): Promise<number> {
    this.#isPending = false
    const { channel, self } = this.#context
    try {
      await this.#connection.redis.publish(channel, self)
      this.#outage.worked()
      return gap_ms
    } catch (fault) {
      this.#isPending = true
      return this.#outage.failed(fault)
    }
  }

  #pause(pause_ms: number): void {
    this.#cancelPause = this.#context.clock.after(pause_ms, () => {
      this.#cancelPause = undefined
      this.#announcePending()
    })
  }
}
