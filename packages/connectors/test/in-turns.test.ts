import { expect, it } from 'vitest'
import { parseCsv } from '../src/csv.ts'
import { inTurns } from '../src/in-turns.ts'

/** How often the rest of the process could run until the work was over. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const turn = () => {
    turns += 1
    turning = setImmediate(turn)
  }
  let turning = setImmediate(turn)
  await work()
  clearImmediate(turning)
  return turns
}

// It stood still for as long as a file took to read, a second and a half for one of 200,000 customers.
it('lets the rest of the process run between a thousand records and the next', async () => {
  const seen: number[] = []
  const numbers = Array.from({ length: 3_500 }, (_, index) => index)
  expect(await turnsDuring(() => inTurns(numbers, (number) => seen.push(number)))).toBe(3)
  expect(seen).toEqual(numbers)
  const text = ['number', ...numbers].join('\n')
  expect(await turnsDuring(() => parseCsv(text))).toBe(3)
})
