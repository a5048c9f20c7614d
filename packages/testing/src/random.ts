import { createIds, type Ids } from '@quittance/core'

/** Random numbers that are the same for the same seed. */
export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
  bytes(length: number): Uint8Array
}

/** Mulberry32: small, and good enough to choose interleavings. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number) => Math.floor((next() / 2 ** 32) * limit)
  return {
    below,
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('there is nothing to pick from')
      return item
    },
    bytes(length) {
      const bytes = new Uint8Array(length)
      for (let index = 0; index < length; index += 1) bytes[index] = next() & 0xff
      return bytes
    },
  }
}

/** Ids, keys and secrets that are the same for the same seed. */
export function seededIds(seed: number): Ids {
  return createIds(seededRandom(seed).bytes)
}
