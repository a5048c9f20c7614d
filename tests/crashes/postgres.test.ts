import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresServer } from '../../packages/store-postgres/test/postgres-server.ts'
import { type Children, openChildren } from './children.ts'
import { flows } from './flows.ts'
import { postgresHomes } from './homes.ts'
import { killEverywhere } from './kill-everywhere.ts'

/** All moments take too long for every run: `npm run proof -- crashes` has them all. */
const every = 3
const first = Math.floor(Math.random() * every)

let server: PostgresServer
let children: Children
beforeAll(async () => {
  server = await postgresServer()
  children = await openChildren()
}, 120_000)
afterAll(async () => {
  children.close()
  await server.stop()
}, 60_000)

describe(`a process on Postgres that is killed at every third moment (${first} modulo ${every})`, {
  timeout: 180_000,
}, () => {
  it.each(flows.map((flow) => [flow.sentence, flow] as const))(
    'while it %s leaves what one pass heals: nothing lost, nothing doubled',
    async (_sentence, flow) => {
      const ground = { children, homes: postgresHomes(server.url) }
      const { points, violations } = await killEverywhere(flow, ground, (n) => n % every === first)
      expect(violations).toEqual([])
      expect(points).toBeGreaterThanOrEqual(1)
    },
  )
})
