import { expect, it } from 'vitest'
import { tearDownPostgres } from '../src/restarts.ts'

it('two processes under load outlive Postgres, which is ended at once, and lost lines, and break nothing', async () => {
  const few = { restarts: 2, kills: 10, cuts: 20, processes: 2, seed: 1 }
  const { violations } = await tearDownPostgres({ ...few, timed: false, longest_down_ms: 0 })
  expect(violations).toEqual([])
})
