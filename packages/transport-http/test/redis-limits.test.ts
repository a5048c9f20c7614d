import { randomUUID } from 'node:crypto'
import { type Clock, type EngineOptions, memoryStore, systemClock } from '@quittance/core'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'
import {
  describeOnRedis,
  findRedis,
  has_redis_server,
  redisServer,
} from '../../webhooks/test/redis-server.ts'
import { type RedisLimitsOptions, redisLimits } from '../src/redis-limits.ts'
import { answer_timeout_ms, patient } from './patient-clock.ts'
import { openShop, type Shop } from './shop.ts'

const found = await findRedis()
const url = found?.url ?? ''
afterAll(() => found?.close())

describeOnRedis('limits over two processes on one Redis', found !== null, () => {
  it('slow card testing down together: ten confirms per session and minute', async () => {
    const shops = await twoShops(url)
    expect(await confirms(shops, 12)).toEqual([...Array(10).fill(400), 429, 429])
  })

  it('are as many in each process without it', async () => {
    const shops = await twoShops(null)
    expect(await confirms(shops, 20)).toEqual(Array(20).fill(400))
  })

  it('answer 429 with a whole number of seconds to wait, the same in both', async () => {
    const shops = await twoShops(url, { rateLimit: { confirmsPerMinute: 0 } })
    for (const shop of shops) {
      const { status, headers } = await confirm(shop, shops[0])
      expect(status).toBe(429)
      expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5][0-9]|60)$/)
    }
  })

  it('are one bucket per key: so many a second, and twice as many at once', async () => {
    // So few that a slow machine does not get to let all of them pass.
    const sandboxPerSecond = 5
    const shops = await twoShops(url, { rateLimit: { sandboxPerSecond } })
    const key = shops[0].keys.secret
    const began_ms = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, turn) => shops[turn % 2 ? 1 : 0].send('GET', '/account', { key })),
    )
    const took_s = (performance.now() - began_ms) / 1_000
    const admitted = answers.filter(({ status }) => status === 200).length
    expect(admitted).toBeGreaterThanOrEqual(2 * sandboxPerSecond)
    expect(admitted).toBeLessThanOrEqual((2 + took_s) * sandboxPerSecond)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
  })

  it('are apart under another prefix, and every key of theirs goes by itself', async () => {
    const prefix = `test-${randomUUID()}`
    const shops = await twoShops(url, {}, { prefix })
    expect(await confirms(shops, 10)).toEqual(Array(10).fill(400))
    const redis = client(url)
    const keys = await redis.keys(`${prefix}:*`)
    const [confirms_key = '', ...others] = keys.filter((key) => key.startsWith(`${prefix}:limit:confirm:`))
    expect(others).toEqual([])
    expect(await redis.pttl(confirms_key)).toBeGreaterThan(0)
    // -1 would be for ever; -2 is one that has gone meanwhile.
    for (const key of keys) expect(await redis.pttl(key)).not.toBe(-1)
    expect(await confirms(await twoShops(url), 10)).toEqual(Array(10).fill(400))
  })
})

describeOnRedis('limits on a Redis that fails', has_redis_server, () => {
  it('go on in each process when it dies, and are shared again when it is back', async () => {
    const server = await redisServer()
    onTestFinished(() => server.close())
    const { shops, clients } = await shopsAndClients(server.url)
    expect(await confirms(shops, 4)).toEqual(Array(4).fill(400))
    await server.kill()
    await expect.poll(() => clients.map(({ status }) => status)).not.toContain('ready')
    // Each begins to count for itself.
    expect(await confirms(shops, 22)).toEqual([...Array(20).fill(400), 429, 429])
    expect(shops[0].logged.filter((line) => line.includes('in this process alone'))).toHaveLength(1)
    await server.start()
    await expect.poll(() => clients.map(({ status }) => status), patience).toEqual(['ready', 'ready'])
    expect(await confirms(shops, 12)).toEqual([...Array(10).fill(400), 429, 429])
    expect(shops[0].logged.filter((line) => line.includes('shared again'))).toHaveLength(1)
  })

  it('go on in each process when it does not answer: never a 500, never without a limit', async () => {
    const server = await redisServer()
    onTestFinished(() => server.close())
    const { clock, delays, rest } = restingClock()
    const shops = await twoShops(server.url, { clock })
    expect(await confirms(shops, 2)).toEqual([400, 400])
    server.freeze()
    const before = delays.length
    try {
      expect(await confirms(shops, 22)).toEqual([...Array(20).fill(400), 429, 429])
    } finally {
      server.thaw()
    }
    // Each process has waited for one answer, and then asked no more.
    expect(delays.slice(before)).toEqual([answer_timeout_ms, away_ms, answer_timeout_ms, away_ms])
    expect(await confirms(shops, 2)).toEqual([429, 429])
    rest()
    // Two before, two that it heard of when it was thawed, and these.
    expect(await confirms(shops, 8)).toEqual([...Array(6).fill(400), 429, 429])
  })
})

describe('limits on a Redis that hangs', () => {
  it('have one request ask whether it is back, however many there are', async () => {
    const { clock, rest } = restingClock()
    // Without the second that each would wait.
    const after: Clock['after'] = (delay_ms, wake) =>
      clock.after(delay_ms === answer_timeout_ms ? 1 : delay_ms, wake)
    const { limits, asked } = hanging({ ...clock, after })
    const many = () => Promise.all(Array.from({ length: 20 }, () => limits.sandbox('key')))
    await many()
    expect(asked()).toBe(20)
    for (const tries of [1, 2, 3]) {
      rest()
      await many()
      expect(asked()).toBe(20 + tries)
    }
  })
})

describe('limits on a Redis that is not there', () => {
  it('are counted in each process from the start', async () => {
    const there = `redis://127.0.0.1:${await freePort()}`
    const [shop, other] = await twoShops(there, { clock: systemClock })
    expect(await confirms([shop, shop], 12)).toEqual([...Array(10).fill(400), 429, 429])
    expect((await confirm(other, shop)).status).toBe(400)
  })

  it('are none where the engine has none', async () => {
    const shops = await twoShops(`redis://127.0.0.1:${await freePort()}`, { rateLimit: false })
    expect(await confirms(shops, 15)).toEqual(Array(15).fill(400))
  })
})

const away_ms = 5_000

/** A clock whose rests end when the test says so. */
function restingClock() {
  const delays: number[] = []
  const rests: (() => void)[] = []
  const clock: Clock = {
    ...systemClock,
    after(delay_ms, wake) {
      delays.push(delay_ms)
      if (delay_ms !== away_ms) return systemClock.after(delay_ms, wake)
      rests.push(wake)
      return () => {}
    },
  }
  const rest = () => {
    for (const wake of rests.splice(0)) wake()
  }
  return { clock, delays, rest }
}

/** Limits on a client that is connected and never gets an answer, and how often it has asked. */
function hanging(clock: Clock) {
  let asked = 0
  const redis = {
    status: 'ready',
    defineCommand() {},
    quittanceTakeToken() {
      asked += 1
      return new Promise<never>(() => {})
    },
  }
  const rateLimit = { sandboxPerSecond: 100, livePerSecond: 100, confirmsPerMinute: 10 }
  const logger = { info() {}, warn() {}, error() {} }
  return { limits: redisLimits(redis)({ clock, logger }, rateLimit), asked: () => asked }
}

const patience = { timeout: 20_000 }

type TwoShops = readonly [Shop, Shop]

/** Two engines on one store, as in two processes; limits in Redis, or for null each in its own process. */
async function twoShops(
  url: string | null,
  options: Partial<EngineOptions> = {},
  limits: RedisLimitsOptions = {},
): Promise<TwoShops> {
  return (await shopsAndClients(url, options, limits)).shops
}

async function shopsAndClients(
  url: string | null,
  options: Partial<EngineOptions> = {},
  { prefix = `test-${randomUUID()}` }: RedisLimitsOptions = {},
) {
  const store = memoryStore()
  const clients: Redis[] = []
  const open = () => {
    if (url === null) return openShop({ store, rateLimit: {}, ...options })
    const redis = client(url)
    clients.push(redis)
    const handler = { limits: redisLimits(redis, { prefix }) }
    return openShop({ store, rateLimit: {}, clock: patient, ...options, handler })
  }
  const shops: TwoShops = [await open(), await open()]
  return { shops, clients }
}

/** As a host makes it, with everything at its default. */
function client(url: string): Redis {
  const redis = new Redis(url, { lazyConnect: true })
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  return redis
}

/** Statuses of so many confirms of the first shop's session, through the two in turn. */
async function confirms([one, other]: TwoShops, times: number): Promise<number[]> {
  const statuses: number[] = []
  for (let turn = 0; turn < times; turn += 1)
    statuses.push((await confirm(turn % 2 ? other : one, one)).status)
  return statuses
}

const sessions = new WeakMap<Shop, Promise<Session>>()
interface Session {
  id: string
  client_secret: string
}

/** An empty confirm is refused, and counts. */
async function confirm(through: Shop, of: Shop) {
  const session = sessions.get(of) ?? of.send('POST', '/payment-method-sessions', { body: {} }).then(bodyOf)
  sessions.set(of, session)
  const { id, client_secret } = await session
  const path = `/payment-method-sessions/${id}/confirm?client_secret=${client_secret}`
  return through.send('POST', path, { key: of.keys.publishable, body: {} })
}

const bodyOf = ({ body }: { body: Session }): Session => body
