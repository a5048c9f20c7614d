import type { EngineChild } from './engine-child.ts'
import type { Fleet } from './fleet.ts'
import { until } from './lanes.ts'

const minute_ms = 60_000

/** Lets time pass until nothing waits, past look-ups and retries after a minute or two, and refunds that take an hour. */
export async function settle(fleet: Fleet): Promise<void> {
  const { findings } = fleet
  for (const by_ms of [2 * minute_ms, 10 * minute_ms, 90 * minute_ms]) {
    // No process works while the clocks differ: leases depend on them.
    await eachChild(fleet, (child) => child.ask('rest', null))
    fleet.clock.advance(by_ms)
    await eachChild(fleet, (child) => child.ask('advance', by_ms))
    await eachChild(fleet, (child) => child.ask('work', null))
    const quiet = await until(() => nothingDue(fleet), { patience_ms: 120_000 })
    findings.expect(quiet, 'something stays due for ever')
  }
  await eachChild(fleet, (child) => child.ask('rest', null))
}

async function eachChild(fleet: Fleet, run: (child: EngineChild) => Promise<void>): Promise<void> {
  await Promise.all(alive(fleet).map(run))
}

async function nothingDue(fleet: Fleet): Promise<boolean> {
  const { store, clock } = fleet
  await alive(fleet)[0]?.ask('reconcile', null)
  const now = new Date(clock.now()).toISOString()
  const { delivery } = await store.nextDue(null)
  const rows = await store.due({ at: now, after: null, limit: 1 })
  return rows.length === 0 && (delivery === null || delivery > now)
}

function alive({ children }: Fleet): EngineChild[] {
  return children.filter((child) => child.isAlive())
}
