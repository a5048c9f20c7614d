// Not the global: in a host's tests that may be a fake, which never calls back.
import { clearTimeout, setTimeout } from 'node:timers'
import type { Client } from 'pg'

/** How long the server has to close its side. On a connection that was silently cut off nobody answers. */
const farewell_ms = 1_000

/**
 * Connects a client that is not of the pool. Fails if it takes too long, because the settings of the host's pool may have no
 * limit: a server that took the connection and then says nothing would be waited for as long as it does.
 */
export async function connect(client: Client, limit_ms: number): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), limit_ms)
  timer.unref()
  await client.connect().finally(() => clearTimeout(timer))
}

/** Resolves when the connection is closed, also one that is still being made. */
export async function end(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), farewell_ms)
  await client.end().catch(() => {})
  clearTimeout(timer)
}
