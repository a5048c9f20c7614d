import { expect, it } from 'vitest'
import { createIds } from '../src/ports/ids.ts'

it('ids sort in the order in which they were made while the clock is far behind', () => {
  const ids = createIds()
  const made = Array.from({ length: 300_000 }, (_, index) =>
    ids.prefixed('payment', false, index === 0 ? 100_000 : 0),
  )
  expect(made.toSorted()).toEqual(made)
  expect(ids.prefixed('payment', false, 200_000) > (made.at(-1) ?? '')).toBe(true)
})

it('ids sort by their time where a request waited for its turn, then in the order in which they were made', () => {
  const ids = createIds()
  const times = [1_000, 1_200, 1_000, 1_001, 1_200, 1_000]
  const made = times.map((at_ms) => ({ at_ms, id: ids.prefixed('payment', false, at_ms) }))
  const by_time = made.toSorted((a, b) => a.at_ms - b.at_ms).map(({ id }) => id)
  expect(by_time.toSorted()).toEqual(by_time)
})

it('ids still sort in the order in which they were made when a clock that was set back comes near its old time', () => {
  const ids = createIds()
  const times = [1_000_000, 900_000, 945_000, 999_000, 999_500, 1_000_000, 1_000_001]
  const made = times.map((at_ms) => ids.prefixed('payment', false, at_ms))
  expect(made.toSorted()).toEqual(made)
})
