import type { Clock, Logger } from '@quittance/core'
import type { Redis, RedisOptions } from 'ioredis'
import type { Outage } from '../outage.ts'

/** What announcer and listener share. */
export interface RedisContext {
  /** The host's client, whose options the connections are opened with. */
  redis: Redis
  channel: string
  /** The name of this queue among those on the channel. */
  self: string
  clock: Clock
  logger: Logger
}

/** A Redis that does not respond within this time counts as unreachable. Normally it responds within 1 ms. */
const command_timeout_ms = 1_000

const longest_reconnect_ms = 2_000

function reconnectAfter(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), longest_reconnect_ms)
}

/**
 * Overrides the options of the host's client: a command fails at once without a connection, and soon without a
 * response. Connections reconnect until they are closed.
 */
const options: RedisOptions = {
  lazyConnect: false,
  enableOfflineQueue: false,
  enableReadyCheck: true,
  maxRetriesPerRequest: 0,
  commandTimeout: command_timeout_ms,
  connectTimeout: 5_000,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  retryStrategy: reconnectAfter,
  sentinelRetryStrategy: reconnectAfter,
  // A channel is not a key, but some clients prefix it and some do not.
  keyPrefix: '',
}

export interface RedisConnection {
  redis: Redis
  close(): void
}

interface ConnectionOptions {
  /** Notified whenever a connection is lost or cannot be made. */
  outage: Outage
  /** Called each time a connection is ready. */
  onReady: () => void
}

/** A connection of the queue's own. */
export function openConnection(pattern: Redis, { outage, onReady }: ConnectionOptions): RedisConnection {
  const redis = pattern.duplicate(options)
  let isClosed = false
  let reason: unknown = 'the connection was closed'
  // Without a listener ioredis would write each failure to the console.
  redis.on('error', (fault: Error) => {
    reason = fault
    // While no Sentinel names a server, there is no connection that could close.
    if (!isClosed && redis.status === 'connecting' && redis.options.sentinels) outage.failed(fault)
  })
  redis.on('close', () => {
    if (!isClosed) outage.failed(reason)
  })
  redis.on('ready', onReady)
  return {
    redis,
    close() {
      isClosed = true
      redis.disconnect()
    },
  }
}
