import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'

/** A Redis for one test file to break: its own process, without a file on disk. */
export interface RedisServer {
  url: string
  /** At once, as a crash. */
  kill(): Promise<void>
  /** Again on the same port, and empty. */
  start(): Promise<void>
  /** Lets nothing be answered while connections stay open, until `thaw`. */
  freeze(): void
  thaw(): void
  /** Ends it for good. */
  close(): Promise<void>
}

/** A Redis that tests share with others, under names of their own. */
export interface FoundRedis {
  url: string
  close(): Promise<void>
}

const ordinary_url = 'redis://127.0.0.1:6379'

/** Whether this machine can start a Redis of its own. */
export const has_redis_server = spawnSync('redis-server', ['--version']).error === undefined

/** `TEST_REDIS_URL`, else the one that runs here, else one that is started; null where there is none at all. */
export async function findRedis(): Promise<FoundRedis | null> {
  const url = process.env.TEST_REDIS_URL || ((await answers(ordinary_url)) ? ordinary_url : null)
  if (url !== null) return { url, close: async () => {} }
  return has_redis_server ? redisServer() : null
}

/** Groups tests that need a Redis. Without one they are left out, loudly; in CI that is a failure. */
export function describeOnRedis(name: string, there_is_one: boolean, tests: () => void): void {
  const lacking = `${name}: needs Redis. Set TEST_REDIS_URL, or install redis-server.`
  if (!there_is_one && process.env.CI === 'true') throw new Error(lacking)
  if (!there_is_one) console.warn(`SKIPPED ${lacking}`)
  describe.skipIf(!there_is_one)(name, tests)
}

export async function redisServer(): Promise<RedisServer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'quittance-redis-'))
  const url = `redis://127.0.0.1:${port}`
  let child = spawnServer(port, folder)
  await untilAnswering(url)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    url,
    kill,
    async start() {
      child = spawnServer(port, folder)
      await untilAnswering(url)
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function spawnServer(port: number, folder: string) {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  return spawn('redis-server', [...args, '--dir', folder], { stdio: 'ignore' })
}

async function untilAnswering(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null })
  redis.on('error', () => {})
  await redis.ping()
  redis.disconnect()
}

async function answers(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 1_000 })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return true
  } catch {
    return false
  } finally {
    redis.disconnect()
  }
}
