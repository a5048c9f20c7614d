import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { alphabet, type PrefixedKind, prefixOf } from '../schema/ids.ts'

/** Where ids, keys and secrets come from: a source of random bytes, so that a test can seed it. */
export interface Ids {
  /**
   * `pay_test_…`: 8 characters of time, 3 of a counter, 13 random ones. Ids sort by `at_ms`, and ids of one process with the
   * same time in the order in which they were made. If the clock was set back by more than a minute, later ids still sort after
   * earlier ones.
   */
  prefixed(kind: PrefixedKind, livemode: boolean, at_ms: number): string
  /** A UUID v7. Later ones of one process sort after earlier ones. */
  uuid(at_ms: number): string
  /** `length` random base62 characters. */
  secret(length: number): string
  bytes(length: number): Uint8Array
}

/** A new value for the `Request-Id` header. */
export function newRequestId(ids: Pick<Ids, 'secret'>): string {
  return `req_${ids.secret(24)}`
}

/** How many ids there are until the counter wraps. More have the same time only while a clock that was set back catches up. */
const counters = 62 ** 3

/** The longest that a unit of work may have waited since its `now`. A clock that is further behind was set back. */
const waiting_ms = 60_000

/** Ids of one process. `bytes` gives that many random bytes: by default those of the system. */
export function createIds(bytes: (length: number) => Uint8Array = pooledBytes()): Ids {
  let newest_ms = 0
  /** The newest time before the clock was set back: no later id has an earlier one. */
  let floor_ms = 0
  let counter = 0
  let last_uuid_ms = 0
  let sequence = 0
  return {
    prefixed(kind, livemode, at_ms) {
      counter = (counter + 1) % counters
      if (newest_ms - at_ms > waiting_ms) floor_ms = newest_ms
      if (counter === 0 && at_ms <= floor_ms) floor_ms += 1
      const ms = Math.max(at_ms, floor_ms)
      newest_ms = Math.max(newest_ms, ms)
      return prefixOf(kind, livemode) + base62(ms, 8) + base62(counter, 3) + random62(bytes, 13)
    },
    uuid(at_ms) {
      // When the clock goes back, new rows must still sort after old ones.
      last_uuid_ms = Math.max(last_uuid_ms, at_ms)
      sequence = (sequence + 1) >>> 0
      return uuidv7({ msecs: last_uuid_ms, seq: sequence, random: bytes(16) })
    },
    secret: (length) => random62(bytes, length),
    bytes,
  }
}

function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}

/** Skips bytes of 248 and more: 256 is not a multiple of 62, and all characters must be equally likely. */
function random62(bytes: (length: number) => Uint8Array, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of bytes(length - text.length + 4)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

/** Draws random bytes for many ids at once: `randomBytes` costs a microsecond per call, whatever its size. */
function pooledBytes(): (length: number) => Uint8Array {
  let pool = randomBytes(0)
  let used = 0
  return (length) => {
    if (used + length > pool.length) {
      pool = randomBytes(Math.max(8192, length))
      used = 0
    }
    used += length
    return pool.subarray(used - length, used)
  }
}
