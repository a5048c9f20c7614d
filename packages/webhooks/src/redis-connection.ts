import type { Clock, Logger } from '@quittance/core'
import type { Redis, RedisOptions } from 'ioredis'
import type { Outage } from './outage.ts'

/** What the two halves of the queue have in common. */
export interface RedisGround {
  /** Whose options connections are opened with. */
  redis: Redis
  channel: string
  /** Names this queue among those on the channel. */
  self: string
  clock: Clock
  logger: Logger
}

/** A Redis that does not answer within this counts as away; it would have answered within a millisecond. */
const command_timeout_ms = 1_000

const longest_reconnect_ms = 2_000

/**
 * Whatever the host's own client is made for, these wait for nothing: a command fails at once where there is no
 * connection, and soon where there is no answer. They connect again for as long as they are open.
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
  retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), longest_reconnect_ms),
  // A channel is no key, but clients differ in whether they prefix it.
  keyPrefix: '',
}

export interface Connection {
  redis: Redis
  close(): void
}

interface ConnectionOptions {
  /** Told of every connection that is lost or does not come about. */
  outage: Outage
  /** Called each time there is a connection. */
  onReady: () => void
}

/** A connection of the queue's own. */
export function openConnection(pattern: Redis, { outage, onReady }: ConnectionOptions): Connection {
  const redis = pattern.duplicate(options)
  let isClosed = false
  let reason = 'the connection was closed'
  // Without a listener ioredis would write each failure to the console.
  redis.on('error', (fault: Error) => {
    reason = String(fault)
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
