import { describe, expect, it } from 'vitest'
import { virtualClock } from '../../testing/src/virtual-clock.ts'
import { Slots } from '../src/dispatcher/slots.ts'

function slotsOf(concurrency: number) {
  const clock = virtualClock()
  let woken = 0
  const slots = new Slots({
    ...{ clock, concurrency, checking: () => 0, unrecorded: () => 0 },
    onSlow: () => {
      woken += 1
    },
  })
  return { clock, slots, woken: () => woken }
}

describe('a slot', () => {
  it('is taken until the attempt ends', () => {
    const { clock, slots } = slotsOf(2)
    const end = slots.occupy()
    clock.advance(499)
    expect(slots.free).toBe(1)
    end()
    expect(slots.free).toBe(2)
    expect(slots.isQuiet()).toBe(true)
    expect(clock.pending()).toBe(0)
  })

  it('is free again after a second of an attempt that is still on the wire, and is not freed twice', () => {
    const { clock, slots, woken } = slotsOf(2)
    const end = slots.occupy()
    clock.advance(1_000)
    expect(slots.free).toBe(2)
    expect(woken()).toBe(1)
    expect(slots.isQuiet()).toBe(false)
    end()
    expect(slots.free).toBe(2)
    expect(slots.isQuiet()).toBe(true)
  })

  it('is kept for at least half a second, whenever the attempt began', () => {
    const { clock, slots } = slotsOf(2)
    slots.occupy()
    clock.advance(501)
    slots.occupy()
    clock.advance(498)
    expect(slots.free).toBe(0)
    clock.advance(2)
    expect(slots.free).toBe(1)
    clock.advance(498)
    expect(slots.free).toBe(1)
    clock.advance(2)
    expect(slots.free).toBe(2)
  })

  it('is taken by a slow attempt where eight for each slot are slow already', () => {
    const { clock, slots } = slotsOf(2)
    const ends: (() => void)[] = []
    for (let turn = 0; slots.free > 0; turn += 1) {
      expect(turn).toBeLessThan(20)
      ends.push(slots.occupy())
      clock.advance(1_000)
    }
    expect(ends).toHaveLength(18)
    for (const end of ends.slice(0, 3)) end()
    expect(slots.free).toBe(2)
  })
})
