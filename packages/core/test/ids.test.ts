import { expect, it } from 'vitest'
import { createIds } from '../src/ports/ids.ts'

it('ids sort in the order in which they were made, also while the clock is behind', () => {
  const ids = createIds()
  const made = Array.from({ length: 300_000 }, (_, index) =>
    ids.prefixed('payment', false, index === 0 ? 1_000 : 0),
  )
  expect(made.toSorted()).toEqual(made)
  expect(ids.prefixed('payment', false, 2_000) > (made.at(-1) ?? '')).toBe(true)
})
