import { virtualClock } from '@quittance/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryBuckets, takeToken } from '../src/token-bucket.ts'

const second_ms = 1_000
/** 25 a second, and 50 at once. */
const ordinary = { capacity: 50, refill: 1, every_ms: 40 }

/** When requests come: up to 60 at once, and then some time later more. */
const traffic = fc
  .array(fc.tuple(fc.oneof(fc.nat(60), fc.nat(3_000)), fc.integer({ min: 1, max: 60 })), { maxLength: 8 })
  .map((bursts) => {
    let now = 0
    return bursts.flatMap(([gap_ms, requests]) => {
      now += gap_ms
      return Array<number>(requests).fill(now)
    })
  })

describe('a token bucket', () => {
  it('holds the part of a token that has come, however often it is asked', () => {
    const bucket = { tokens: 0, refilled_at: 0 }
    expect(takeToken(ordinary, bucket, 39)).toEqual({ bucket, wait_ms: 1 })
    const next = { tokens: 0, refilled_at: 40 }
    expect(takeToken(ordinary, bucket, 70)).toEqual({ bucket: next, wait_ms: null })
    expect(takeToken(ordinary, next, 70)).toEqual({ bucket: next, wait_ms: 10 })
  })

  it('gains nothing while it is full', () => {
    const full = { tokens: 50, refilled_at: 0 }
    expect(takeToken(ordinary, full, 79)).toEqual({ bucket: { tokens: 49, refilled_at: 79 }, wait_ms: null })
  })

  it('makes nobody wait for a clock that was set back', () => {
    const empty = takeToken(ordinary, { tokens: 0, refilled_at: 3_600_000 }, 0)
    expect(empty).toEqual({ bucket: { tokens: 0, refilled_at: 0 }, wait_ms: 40 })
    expect(takeToken(ordinary, empty.bucket, 40).wait_ms).toBeNull()
    const half_full = takeToken(ordinary, { tokens: 25, refilled_at: 3_600_000 }, 0)
    expect(half_full).toEqual({ bucket: { tokens: 24, refilled_at: 0 }, wait_ms: null })
  })

  it('passes what a bucket passes that fills drop by drop', () => {
    fc.assert(
      fc.property(traffic, (requests_at) => {
        expect(passedOf(requests_at)).toEqual(byDrops(requests_at))
      }),
    )
  })

  it('lets no span of time pass more than the burst and what came in it', () => {
    fc.assert(
      fc.property(traffic, (requests_at) => {
        const passed = passedOf(requests_at)
        const spans = passed.flatMap((begin, first) =>
          passed.slice(first).map((end, more) => more + 1 - (end - begin) / 40),
        )
        expect(Math.max(0, ...spans)).toBeLessThanOrEqual(50)
      }),
    )
  })
})

describe('buckets in memory', () => {
  it('are forgotten when they are full again', () => {
    const clock = virtualClock()
    const buckets = memoryBuckets(ordinary, clock)
    for (let name = 0; name < 1_000; name += 1) buckets.take(`key ${name}`)
    expect(buckets.kept()).toBe(1_000)
    for (let turn = 1; turn <= 2; turn += 1) {
      clock.advance(2 * second_ms)
      buckets.take('key')
    }
    expect(buckets.kept()).toBeLessThanOrEqual(2)
  })

  it('are not forgotten while they lack a token', () => {
    const clock = virtualClock()
    const buckets = memoryBuckets({ capacity: 10, refill: 10, every_ms: 60_000 }, clock)
    clock.advance(59_999)
    for (let turn = 1; turn <= 10; turn += 1) expect(buckets.take('session')).toBeNull()
    // Others take, so that the generations turn.
    for (let passed_s = 1; passed_s < 60; passed_s += 1) {
      clock.advance(second_ms)
      buckets.take('another')
      expect(buckets.take('session')).toBe((60 - passed_s) * second_ms)
    }
    clock.advance(second_ms)
    expect(buckets.take('session')).toBeNull()
  })

  it('are forgotten, too, after the clock was set back', () => {
    const clock = virtualClock()
    const buckets = memoryBuckets(ordinary, clock)
    for (let name = 0; name < 1_000; name += 1) buckets.take(`key ${name}`)
    clock.skew(-3_600 * second_ms)
    for (let turn = 1; turn <= 2; turn += 1) {
      clock.advance(2 * second_ms)
      buckets.take('key')
    }
    expect(buckets.kept()).toBeLessThanOrEqual(2)
  })

  it('are filled by real time, not by moving the clock of the sandbox', () => {
    const clock = virtualClock()
    const buckets = memoryBuckets(ordinary, clock)
    for (let turn = 1; turn <= 50; turn += 1) expect(buckets.take('key')).toBeNull()
    clock.jump(3_600 * second_ms)
    expect(buckets.take('key')).toBe(40)
  })
})

/** Those of the requests that pass, by when they came. */
function passedOf(requests_at: readonly number[]): number[] {
  let bucket = { tokens: 50, refilled_at: 0 }
  return requests_at.filter((now) => {
    const taken = takeToken(ordinary, bucket, now)
    bucket = taken.bucket
    return taken.wait_ms === null
  })
}

/** The same, as one would say it: a request costs 40 ms of the 2 s that the bucket holds. */
function byDrops(requests_at: readonly number[]): number[] {
  let held_ms = 2_000
  let last_at = 0
  return requests_at.filter((now) => {
    held_ms = Math.min(2_000, held_ms + now - last_at)
    last_at = now
    if (held_ms < 40) return false
    held_ms -= 40
    return true
  })
}
