import { describe, expect, it } from 'vitest'
import { seededIds, seededRandom } from '../src/random.ts'
import { virtualClock } from '../src/virtual-clock.ts'

describe('the virtual clock', () => {
  it('stands still until it is moved', () => {
    const clock = virtualClock('2026-01-31T12:00:00.000Z')
    expect(clock.now()).toBe(Date.parse('2026-01-31T12:00:00.000Z'))
    clock.advance(1500)
    expect(clock.now()).toBe(Date.parse('2026-01-31T12:00:01.500Z'))
    expect(clock.real()).toBe(clock.now())
  })

  it('fires timers in the order in which they fall due, each at its own moment', () => {
    const clock = virtualClock(0)
    const fired: [string, number][] = []
    const note = (name: string) => () => fired.push([name, clock.now()])
    clock.after(300, note('c'))
    clock.after(100, note('a'))
    clock.after(100, note('b'))
    clock.after(1000, note('not yet'))
    clock.advance(999)
    expect(fired).toEqual([
      ['a', 100],
      ['b', 100],
      ['c', 300],
    ])
    expect(clock.pending()).toBe(1)
    clock.advance(1)
    expect(fired.at(-1)).toEqual(['not yet', 1000])
  })

  it('fires a timer that another one sets on the way', () => {
    const clock = virtualClock(0)
    const fired: number[] = []
    clock.after(10, () => clock.after(10, () => fired.push(clock.now())))
    clock.advance(20)
    expect(fired).toEqual([20])
  })

  it('never fires a timer that was canceled', () => {
    const clock = virtualClock(0)
    const fired: string[] = []
    const cancel = clock.after(10, () => fired.push('canceled'))
    clock.after(5, cancel)
    clock.advance(60)
    expect(fired).toEqual([])
    expect(clock.pending()).toBe(0)
  })

  it('sets either clock against the other without a timer noticing', () => {
    const clock = virtualClock(0)
    const fired: number[] = []
    clock.after(1000, () => fired.push(clock.real()))
    clock.jump(5000)
    clock.skew(-200)
    expect([clock.now(), clock.real(), fired.length]).toEqual([5000, -200, 0])
    clock.jump(-6000)
    expect(clock.now()).toBe(-1000)
    clock.advance(1000)
    expect([clock.now(), fired]).toEqual([0, [800]])
  })

  it('refuses to let time pass backwards', () => {
    expect(() => virtualClock(0).advance(-1)).toThrow(RangeError)
    expect(() => virtualClock('soon')).toThrow(RangeError)
  })

  it.each(['advance', 'jump', 'skew'] as const)(
    'refuses to %s by what is no number of milliseconds',
    (move) => {
      const clock = virtualClock(0)
      for (const delta_ms of [Number.NaN, Number.POSITIVE_INFINITY])
        expect(() => clock[move](delta_ms)).toThrow(RangeError)
      expect([clock.now(), clock.real()]).toEqual([0, 0])
    },
  )
})

describe('seeded chance', () => {
  it('comes out the same for the same seed, and different for another', () => {
    const drawn = (seed: number) => {
      const random = seededRandom(seed)
      return Array.from({ length: 50 }, () => random.below(1000))
    }
    const ids = (seed: number) => seededIds(seed).prefixed('payment', false, 0)
    expect(drawn(7)).toEqual(drawn(7))
    expect(drawn(7)).not.toEqual(drawn(8))
    expect(ids(7)).toBe(ids(7))
    expect(ids(7)).not.toBe(ids(8))
  })

  it('reaches every number below the limit and none beyond it', () => {
    const random = seededRandom(3)
    const drawn = new Set(Array.from({ length: 500 }, () => random.below(6)))
    expect([...drawn].sort()).toEqual([0, 1, 2, 3, 4, 5])
  })
})
