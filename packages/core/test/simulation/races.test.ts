import { expect, it } from 'vitest'
import { numberOf, races } from './races.ts'
import { raceOnStore } from './races-stores.ts'

it('every race from R1 to R24 is run', () => {
  const numbers = Array.from({ length: 24 }, (_, place) => place + 1)
  expect([...new Set(races.map(numberOf))]).toEqual(numbers)
})

raceOnStore(races)
