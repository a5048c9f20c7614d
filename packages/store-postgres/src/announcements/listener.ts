import { Socket } from 'node:net'
import type { Client, QueryResult } from 'pg'
import { connect, end } from '../dedicated-client.ts'
import { channel } from './announcer.ts'

/** How often to check that the connection is not silently cut off. */
const heartbeat_ms = 30_000

/** How long to wait for an answer. */
const answer_ms = 30_000

/** How long a connection may take to be made. */
const connecting_ms = 10_000

const first_backoff_ms = 100
const longest_backoff_ms = 5_000

interface ListenerOptions {
  /** A connection that is not open yet. */
  connection: () => Client
  /** Whether an announcement with this payload is for this listener. */
  concerns: (payload: string) => boolean
  wake: () => void
}

/**
 * Listens to the announcements of other processes, on a connection of its own that does not keep the process alive: connecting
 * -> listening -> lost -> connecting, until it is closed. Postgres keeps nothing for those who do not listen, so the listener
 * wakes once whenever it begins to listen.
 */
export class Listener {
  readonly #options: ListenerOptions
  readonly #limits: { connecting_ms: number; heartbeat_ms: number; answer_ms: number }
  /** The latest client, also while it is connecting, and after it has ended. */
  #client: Client | undefined
  #isClosed = false
  #failures = 0
  #endPause = () => {}

  constructor(options: ListenerOptions, limits = { connecting_ms, heartbeat_ms, answer_ms }) {
    this.#options = options
    this.#limits = limits
    void this.#run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#endPause()
    if (this.#client !== undefined) await end(this.#client)
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      // The reason is dropped: if it persists, the next try meets it again.
      await this.#listen().catch(() => {})
      if (this.#isClosed) return
      await this.#pause(Math.min(first_backoff_ms * 2 ** this.#failures, longest_backoff_ms))
      this.#failures += 1
    }
  }

  /** Ends when the connection ends, for whatever reason. */
  async #listen(): Promise<void> {
    const { connection, concerns, wake } = this.#options
    const client = connection()
    this.#client = client
    client.on('error', () => this.#endPause())
    client.on('end', () => this.#endPause())
    client.on('notification', ({ payload = '' }) => {
      if (!this.#isClosed && concerns(payload)) wake()
    })
    try {
      await connect(client, this.#limits.connecting_ms)
      const { stream } = client.connection
      if (stream instanceof Socket) stream.unref()
      await this.#ask(client, `LISTEN ${channel}`)
      this.#failures = 0
      if (!this.#isClosed) wake()
      while (!this.#isClosed) {
        await this.#pause(this.#limits.heartbeat_ms)
        if (!this.#isClosed) await this.#checkServer(client)
      }
    } finally {
      await end(client)
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

  /** Fails on a server that only reads: after a failover, deliveries are announced on the one that writes. */
  async #checkServer(client: Client): Promise<void> {
    const { rows } = await this.#ask(client, 'SHOW transaction_read_only')
    if (rows[0]?.transaction_read_only !== 'off') throw new Error('The server only reads.')
  }

  /** With a timeout, because the settings of the host's pool may have none. Spread: the types of pg lack it. */
  #ask(client: Client, text: string): Promise<QueryResult> {
    return client.query({ text, ...{ query_timeout: this.#limits.answer_ms } })
  }
}
