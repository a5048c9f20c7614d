import { randomUUID } from 'node:crypto'
import { type Logger, type RateLimit, silentLogger } from '@quittance/core'
import { virtualClock } from '@quittance/testing'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { describeOnRedis, findRedis } from '../../webhooks/test/redis-server.ts'
import { createRateLimits, type RateLimits, type TakeOne } from '../src/rate-limit.ts'
import { redisLimits } from '../src/redis-limits.ts'
import { patient } from './patient-clock.ts'

const found = await findRedis()
afterAll(() => found?.close())

/** Limits, and how their time passes. */
interface Ground {
  limits: RateLimits
  pass(delta_ms: number): Promise<void>
  /** Time that passes by itself while a test runs. */
  drift_ms(): number
}

type OpenGround = (rateLimit?: Partial<RateLimit>) => Ground

const ordinary: RateLimit = { sandboxPerSecond: 25, livePerSecond: 100, confirmsPerMinute: 10 }

/** Falling back on this process alone would hide what fails in Redis. */
const unforgiving: Logger = {
  ...silentLogger,
  warn(message, fields) {
    throw new Error(`${message} ${JSON.stringify(fields)}`)
  },
}

describe('limits in this process', () => {
  const open: OpenGround = (rateLimit) => {
    const clock = virtualClock()
    const engine = { rateLimit: { ...ordinary, ...rateLimit }, clock, logger: silentLogger }
    return {
      limits: createRateLimits(engine),
      pass: async (delta_ms) => clock.advance(delta_ms),
      drift_ms: () => 0,
    }
  }
  bucketsOn(open)

  it('are counted for all handlers of an engine together, and for each engine alone', async () => {
    const engine = { rateLimit: ordinary, clock: virtualClock(), logger: silentLogger }
    expect(await admitted(createRateLimits(engine).confirm, 8)).toBe(8)
    expect(await admitted(createRateLimits(engine).confirm, 8)).toBe(2)
    expect(await admitted(createRateLimits({ ...engine }).confirm, 8)).toBe(8)
  })
})

describeOnRedis('limits in Redis', found !== null, () => {
  const open: OpenGround = (rateLimit) => {
    const redis = new Redis(found?.url ?? '')
    onTestFinished(() => redis.disconnect())
    const prefix = `test-${randomUUID()}`
    const engine = { rateLimit: { ...ordinary, ...rateLimit }, clock: patient, logger: unforgiving }
    const began_ms = performance.now()
    return {
      limits: createRateLimits(engine, { limits: redisLimits(redis, { prefix }) }),
      pass: (delta_ms) => age(redis, prefix, delta_ms),
      drift_ms: () => performance.now() - began_ms,
    }
  }
  bucketsOn(open)

  it('make nobody wait for a clock that was set back', async () => {
    const { limits, pass } = open({ sandboxPerSecond: 1 })
    expect(await admitted(limits.sandbox, 3)).toBe(2)
    await pass(-3_600_000)
    expect(await limits.sandbox('key')).toBe(1)
    await pass(1_000)
    expect(await limits.sandbox('key')).toBeNull()
  })

  it('keep a key until its bucket is full, and none where they let nothing through', async () => {
    const redis = new Redis(found?.url ?? '')
    onTestFinished(() => redis.disconnect())
    const prefix = `test-${randomUUID()}`
    const rateLimit = { ...ordinary, livePerSecond: 0 }
    const engine = { rateLimit, clock: patient, logger: unforgiving }
    const limits = createRateLimits(engine, { limits: redisLimits(redis, { prefix }) })
    expect(await admitted(limits.live, 3)).toBe(0)
    expect(await redis.keys(`${prefix}:*`)).toEqual([])
    expect(await admitted(limits.sandbox, 1)).toBe(1)
    expect(await redis.pttl(`${prefix}:limit:sandbox:key`)).toBeLessThanOrEqual(40)
    expect(await admitted(limits.sandbox, 60)).toBeGreaterThanOrEqual(49)
    expect(await redis.pttl(`${prefix}:limit:sandbox:key`)).toBeLessThanOrEqual(2_000)
    expect(await admitted(limits.confirm, 12)).toBe(10)
    const lives_ms = await redis.pttl(`${prefix}:limit:confirm:key`)
    expect(lives_ms).toBeGreaterThan(30_000)
    expect(lives_ms).toBeLessThanOrEqual(60_000)
  })
})

/** What must hold wherever buckets are kept. */
function bucketsOn(open: OpenGround): void {
  it.each([
    [500, 12],
    [1_500, 37],
    [2_000, 50],
    [5_000, 50],
    [10_000, 50],
  ])('let 50 of 60 requests pass at once, and after %i ms %i of 100', async (pause_ms, more) => {
    const { limits, pass, drift_ms } = open()
    const first = await admitted(limits.sandbox, 60)
    expectAbout(first, 50, drift_ms)
    await pass(pause_ms)
    expectAbout(first - 50 + (await admitted(limits.sandbox, 100)), more, drift_ms)
  })

  it('let the burst and then 25 a second pass, however steadily one asks', async () => {
    const { limits, pass, drift_ms } = open()
    let passed = await admitted(limits.sandbox, 60)
    for (let asked_ms = 50; asked_ms <= 6_000; asked_ms += 50) {
      await pass(50)
      passed += await admitted(limits.sandbox, 3)
    }
    expectAbout(passed, 50 + 6 * 25, drift_ms)
  })

  it('know no window whose edge lets twice as many pass', async () => {
    const { limits, pass, drift_ms } = open()
    await admitted(limits.sandbox, 26)
    await pass(9_900)
    const before = await admitted(limits.sandbox, 60)
    await pass(200)
    expectAbout(before + (await admitted(limits.sandbox, 100)), 50 + 5, drift_ms)
  })

  it('let live keys send 100 a second, and 200 at once', async () => {
    const { limits, pass, drift_ms } = open()
    const first = await admitted(limits.live, 250)
    expectAbout(first, 200, () => drift_ms() * 4)
    await pass(1_000)
    expectAbout(first - 200 + (await admitted(limits.live, 250)), 100, () => drift_ms() * 4)
  })

  it('keep a bucket for each key and each limit', async () => {
    const { limits } = open({ sandboxPerSecond: 1, livePerSecond: 1 })
    expect(await admitted(limits.sandbox, 2, 'one')).toBe(2)
    expect(await admitted(limits.sandbox, 2, 'other')).toBe(2)
    expect(await admitted(limits.live, 2, 'one')).toBe(2)
  })

  it('say how many whole seconds it takes until a request passes, at least 1', async () => {
    const { limits, pass, drift_ms } = open({ confirmsPerMinute: 1 })
    expect(await limits.confirm('key')).toBeNull()
    expectWait(await limits.confirm('key'), 60, drift_ms)
    await pass(29_500)
    expectWait(await limits.confirm('key'), 31, drift_ms)
    await pass(30_000)
    const last_s = await limits.confirm('key')
    expectWait(last_s, 1, drift_ms)
    await pass(500)
    // If it has passed already, because more time did, the next one has the minute to wait.
    if (last_s === null) expectWait(await limits.confirm('key'), 60, drift_ms)
    else expect(await limits.confirm('key')).toBeNull()
  })

  it('let ten confirms pass in the minute that begins with the first, and ten in the next', async () => {
    const { limits, pass, drift_ms } = open()
    expect(await admitted(limits.confirm, 4)).toBe(4)
    await pass(40_000)
    expect(await admitted(limits.confirm, 12)).toBe(6)
    expectWait(await limits.confirm('key'), 20, drift_ms)
    await pass(20_000)
    expect(await admitted(limits.confirm, 12)).toBe(10)
    expectWait(await limits.confirm('key'), 60, drift_ms)
  })

  it('let one pass every five seconds where they are a fifth of a second', async () => {
    const { limits, pass, drift_ms } = open({ sandboxPerSecond: 0.2 })
    expect(await admitted(limits.sandbox, 2)).toBe(1)
    expectWait(await limits.sandbox('key'), 5, drift_ms)
    await pass(5_000)
    expect(await admitted(limits.sandbox, 2)).toBe(1)
  })

  it('let nothing pass where they are 0, and still say when to ask again', async () => {
    const { limits, pass } = open({ sandboxPerSecond: 0, livePerSecond: 0, confirmsPerMinute: 0 })
    for (const _ of [1, 2]) {
      expect(await limits.sandbox('key')).toBe(1)
      expect(await limits.live('key')).toBe(1)
      expect(await limits.confirm('key')).toBe(60)
      await pass(120_000)
    }
  })
}

/** How many of so many requests at once pass. */
async function admitted(take: TakeOne, requests: number, key = 'key'): Promise<number> {
  const waits = await Promise.all(Array.from({ length: requests }, () => take(key)))
  return waits.filter((wait_s) => wait_s === null).length
}

/** So many, and at most what 25 a second add while the test runs. */
function expectAbout(passed: number, expected: number, drift_ms: () => number): void {
  expect(passed).toBeGreaterThanOrEqual(expected)
  expect(passed).toBeLessThanOrEqual(expected + Math.ceil(drift_ms() / 40))
}

/** So many seconds, less at most what passes while the test runs. */
function expectWait(wait_s: number | null, expected_s: number, drift_ms: () => number): void {
  expect(wait_s ?? 0).toBeLessThanOrEqual(expected_s)
  expect(wait_s ?? 0).toBeGreaterThanOrEqual(expected_s - Math.ceil(drift_ms() / 1_000))
}

/** Redis' time cannot be moved: all that it keeps is made older instead, or for less than 0 younger. */
async function age(redis: Redis, prefix: string, delta_ms: number): Promise<void> {
  for (const key of await redis.keys(`${prefix}:*`)) await redis.hincrbyfloat(key, 'refilled_at', -delta_ms)
}
