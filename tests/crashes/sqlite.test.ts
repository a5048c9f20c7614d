import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Children, openChildren } from './children.ts'
import { flows } from './flows.ts'
import { sqliteHomes } from './homes.ts'
import { killEverywhere } from './kill-everywhere.ts'

let children: Children
beforeAll(async () => {
  children = await openChildren()
}, 60_000)
afterAll(() => children.close())

describe('a process on SQLite that is killed before, inside and after every call', {
  timeout: 180_000,
}, () => {
  it.each(flows.map((flow) => [flow.sentence, flow] as const))(
    'while it %s leaves what one pass heals: nothing lost, nothing doubled',
    async (_sentence, flow) => {
      const { points, violations } = await killEverywhere(flow, { children, homes: sqliteHomes() })
      expect(violations).toEqual([])
      expect(points).toBeGreaterThanOrEqual(3)
    },
  )
})
