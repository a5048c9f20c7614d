import { isError } from '@quittance/core'
import { type buildConnector, Client } from 'undici'
import type { Connect } from './pinned-connect.ts'

/** Shorter than the idle timeout of common servers (Node: 5 s), so that no request meets their close. */
const keep_alive_ms = 4_000

/** The longest head of a response; a longer one fails the attempt. Some exceed Node's own limit, 16 KiB, with their cookies. */
const max_head_bytes = 65_536

/**
 * Connecting -> in use <-> idle -> closed. One attempt at a time. If the receiver closes it between two attempts, the second
 * opens a new connection, and the name is resolved and judged again.
 */
export class Connection {
  readonly origin: string
  readonly client: Client
  isOpen = false
  readonly #abandoned = new AbortController()

  constructor(origin: string, connect: Connect) {
    this.origin = origin
    const connector: buildConnector.connector = (target, callback) =>
      void connect(target, this.#abandoned.signal).then(
        (socket) => callback(null, socket),
        (fault: unknown) => callback(isError(fault) ? fault : new Error(String(fault)), null),
      )
    this.client = new Client(origin, {
      connect: connector,
      // No timeouts of undici: `Attempt` has the timers.
      headersTimeout: 0,
      maxHeaderSize: max_head_bytes,
      bodyTimeout: 0,
      keepAliveTimeout: keep_alive_ms,
      keepAliveMaxTimeout: keep_alive_ms,
      pipelining: 1,
      allowH2: false,
    })
    this.client.on('connect', () => {
      this.isOpen = true
    })
    this.client.on('disconnect', () => {
      this.isOpen = false
    })
  }

  /**
   * Closes it in any state, also during name resolution and handshake. (Aborting the request through undici's
   * controller would open another connection, only to find that there is nothing to send.)
   */
  abandon(reason: Error): void {
    this.#abandoned.abort(reason)
    // Resolves once the socket is closed, and never rejects.
    void this.client.destroy(reason)
  }
}

/** The connections of a sender, by origin. The most recently used are reused first; the others time out. */
export class Connections {
  readonly #connect: Connect
  readonly #max_idle: number
  readonly #idle = new Map<string, Connection[]>()
  readonly #all = new Set<Connection>()
  #idle_count = 0

  constructor(connect: Connect, max_idle: number) {
    this.#connect = connect
    this.#max_idle = max_idle
  }

  take(origin: string): Connection {
    const kept = this.#idle.get(origin)?.at(-1)
    if (kept !== undefined) {
      this.#unlist(kept)
      return kept
    }
    const connection = new Connection(origin, this.#connect)
    this.#all.add(connection)
    connection.client.on('disconnect', () => {
      if (this.#unlist(connection)) this.drop(connection, new Error('idle'))
    })
    return connection
  }

  /** Keeps it for the next attempt to its origin, unless it has closed or enough are kept. */
  keep(connection: Connection): void {
    if (!connection.isOpen || this.#idle_count >= this.#max_idle) {
      this.drop(connection, new Error('not kept'))
      return
    }
    const kept = this.#idle.get(connection.origin)
    if (kept === undefined) this.#idle.set(connection.origin, [connection])
    else kept.push(connection)
    this.#idle_count += 1
  }

  drop(connection: Connection, reason: Error): void {
    this.#all.delete(connection)
    connection.abandon(reason)
  }

  close(): void {
    for (const connection of [...this.#all]) {
      this.#unlist(connection)
      this.drop(connection, new Error('closed'))
    }
  }

  /** Removes it from the idle ones; false if it was not idle. */
  #unlist(connection: Connection): boolean {
    const kept = this.#idle.get(connection.origin)
    const index = kept?.indexOf(connection) ?? -1
    if (kept === undefined || index === -1) return false
    kept.splice(index, 1)
    if (kept.length === 0) this.#idle.delete(connection.origin)
    this.#idle_count -= 1
    return true
  }
}
