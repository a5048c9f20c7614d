import type { EngineChild } from './engine-child.ts'
import type { Field } from './field.ts'
import { until } from './lanes.ts'

const minute_ms = 60_000

/** Lets time pass until nothing waits, past look-ups and retries after a minute or two, and refunds that take an hour. */
export async function settle(field: Field): Promise<void> {
  const { findings } = field
  for (const by_ms of [2 * minute_ms, 10 * minute_ms, 90 * minute_ms]) {
    // No process works while the clocks differ: leases depend on them.
    await eachChild(field, (child) => child.ask('rest', null))
    field.clock.advance(by_ms)
    await eachChild(field, (child) => child.ask('advance', by_ms))
    await eachChild(field, (child) => child.ask('work', null))
    const quiet = await until(() => nothingDue(field), { patience_ms: 120_000 })
    findings.expect(quiet, 'something stays due for ever')
  }
  await eachChild(field, (child) => child.ask('rest', null))
}

async function eachChild(field: Field, run: (child: EngineChild) => Promise<void>): Promise<void> {
  await Promise.all(alive(field).map(run))
}

async function nothingDue(field: Field): Promise<boolean> {
  const { store, clock } = field
  await alive(field)[0]?.ask('reconcile', null)
  const now = new Date(clock.now()).toISOString()
  const { delivery } = await store.nextDue(null)
  const rows = await store.due({ at: now, after: null, limit: 1 })
  return rows.length === 0 && (delivery === null || delivery > now)
}

function alive({ children }: Field): EngineChild[] {
  return children.filter((child) => child.isAlive())
}
