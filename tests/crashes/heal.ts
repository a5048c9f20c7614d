import { iso } from '@quittance/core'
import { accepted } from '../../packages/testing/src/builders/requests.ts'
import { checkInvariants } from '../../packages/testing/src/invariants/check-invariants.ts'
import { type Rows, readRows } from '../../packages/testing/src/invariants/rows.ts'
import { checkDelivered } from './delivered.ts'
import { type EngineProcess, openProcess } from './engine-process.ts'
import type { Flow, Reply } from './flow.ts'
import { digestOf, type Home, readRaw } from './home.ts'
import type { Healed, Healer } from './jobs.ts'
import { type World, worldOf } from './world.ts'

/** Past every lease (30 s, a sync's 60 s), the first two look-ups (60 s, 5 min) and a bank debit's batch (60 s). */
const recovery_ms = 600_000
/** Nothing restarts within the millisecond in which it died. */
const restart_ms = 1_000
/** A client that meets its own request in flight waits for its lease to end. */
const lease_ms = 30_000

/**
 * A fresh process on a home that a killed one left: the client asks again, time passes, and one pass reconciles; or
 * the pass comes first. Either way the client is answered, everything that must hold does, and a second pass has
 * nothing to do.
 */
export async function heal(flow: Flow, home: Home, by: Healer): Promise<Healed> {
  const digest = await digestOf(home)
  const restarted = await openProcess(home, { seed: by === 'client' ? 3 : 4 })
  restarted.clock.advance(restart_ms)
  const healing: Healing = {
    ...{ flow, home, restarted, violations: [] },
    left: await readRows(restarted.store, restarted.scope),
  }
  const reconciled = by === 'reconciler' ? await passOnce(healing) : null
  const reply = await askAgain(healing)
  const world = await passOnce(healing)
  await checkSettled(healing, reply)
  await restarted.close()
  return { digest, reconciled, world, told: reply.told, violations: healing.violations }
}

interface Healing {
  flow: Flow
  home: Home
  restarted: EngineProcess
  /** The rows that were left. */
  left: Rows
  violations: string[]
}

async function askAgain({ flow, restarted, violations }: Healing): Promise<Reply> {
  const reply = await flow.run(restarted, restarted.known)
  if (!isInFlight(reply)) return reply
  restarted.clock.advance(lease_ms)
  const later = await flow.run(restarted, restarted.known)
  if (isInFlight(later)) violations.push('the key is still in flight after its lease')
  return later
}

function isInFlight({ told }: Reply): boolean {
  return told.endsWith('idempotency_key_in_flight')
}

/** Lets time pass, and makes one pass: of the reconciler, and of the dispatcher where there is one. */
async function passOnce(healing: Healing): Promise<World> {
  const { flow, home, restarted } = healing
  restarted.clock.advance(recovery_ms)
  await restarted.engine.reconcile()
  if (flow.delivers) await restarted.dispatch()
  await check(healing)
  return worldOf(await readRaw(home), restarted.processor)
}

/** What must hold after every step and what must hold at rest; nothing that was left is gone; every event goes out. */
async function check({ flow, home, restarted, left, violations }: Healing): Promise<void> {
  const { engine, caller, clock, store, scope, processor } = restarted
  const rows = await readRows(store, scope)
  const { data: shown_invoices } = accepted(await engine.invoices.list(caller, { limit: 100 }))
  const found = checkInvariants({
    now: iso(clock.now()),
    rows,
    before: left,
    charges: processor.ledger.charges(),
    refunded: processor.ledger.refunds(),
    shown_invoices,
    quiet: true,
  })
  violations.push(...found.map(({ invariant, detail }) => `${invariant}: ${detail}`))
  if (flow.delivers) violations.push(...checkDelivered(home, rows, restarted))
}

/** The same pass and the same question again: nothing moves any more, and the bytes of the answer are the same. */
async function checkSettled({ flow, home, restarted, violations }: Healing, reply: Reply): Promise<void> {
  const before = await digestOf(home)
  await restarted.engine.reconcile()
  const again = flow.keyed ? await flow.run(restarted, restarted.known) : reply
  if (again.body !== reply.body) violations.push(`M42: answered ${reply.body}, and then ${again.body}`)
  if ((await digestOf(home)) !== before) violations.push('M46: a second pass has changed something')
}
