import { Socket } from 'node:net'
import type { Client } from 'pg'
import { channel } from './announcer.ts'

/** A connection that was cut off silently is found out within so long, and the wait for an answer is as long. */
const heartbeat_ms = 30_000

const first_backoff_ms = 100
const longest_backoff_ms = 5_000

interface ListenerOptions {
  /** A connection that is not open yet. */
  connection: () => Client
  /** Whether an announcement with this payload is to be heard. */
  concerns: (payload: string) => boolean
  wake: () => void
}

/**
 * Hears what other processes announce, on a connection of its own that keeps no process alive: connecting -> listening
 * -> lost -> connecting, until it is closed. Nothing is kept for those who do not listen, so each time it listens
 * begins with a wake-up.
 */
export class Listener {
  readonly #options: ListenerOptions
  #client: Client | undefined
  #isClosed = false
  #failures = 0
  #endPause = () => {}

  constructor(options: ListenerOptions) {
    this.#options = options
    void this.#run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#endPause()
    await this.#client?.end()
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      // Why it was lost says nothing that the next try does not find out.
      await this.#listen().catch(() => {})
      if (this.#isClosed) return
      await this.#pause(Math.min(first_backoff_ms * 2 ** this.#failures, longest_backoff_ms))
      this.#failures += 1
    }
  }

  /** Ends when the connection does, one way or the other. */
  async #listen(): Promise<void> {
    const { connection, concerns, wake } = this.#options
    const client = connection()
    client.on('error', () => this.#endPause())
    client.on('end', () => this.#endPause())
    client.on('notification', ({ payload = '' }) => {
      if (!this.#isClosed && concerns(payload)) wake()
    })
    try {
      await client.connect()
      this.#client = client
      const { stream } = client.connection
      if (stream instanceof Socket) stream.unref()
      await ask(client, `LISTEN ${channel}`)
      this.#failures = 0
      if (!this.#isClosed) wake()
      while (!this.#isClosed) {
        await this.#pause(heartbeat_ms)
        if (!this.#isClosed) await ask(client, 'SELECT 1')
      }
    } finally {
      this.#client = undefined
      await client.end().catch(() => {})
    }
  }

  #pause(delay_ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay_ms)
      timer.unref()
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** A pool of the host may have no timeout of its own. */
function ask(client: Client, text: string): Promise<unknown> {
  return client.query({ text, ...{ query_timeout: heartbeat_ms } })
}
