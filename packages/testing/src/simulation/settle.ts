import { delivery_lease_ms, iso } from '@quittance/core'
import { day_ms, hour_ms, minute_ms } from '../durations.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { keyOf } from '../invariants/moment.ts'
import { no_faults } from './faults.ts'
import type { SimulatedProcess } from './process.ts'
import { startProcess } from './start-process.ts'
import type { World } from './world.ts'

/**
 * Ninety days, in steps that pass every wait of the engine and of the sandbox's processor. The longest step comes before the
 * last, so that events found after it have their two days of retries.
 */
const waits_ms = [
  minute_ms,
  5 * minute_ms,
  30 * minute_ms,
  hour_ms,
  2 * hour_ms,
  ...[0.5, 1, 1, 2, 3, 4, 7, 60, 7.5, 4].map((days) => days * day_ms),
] as const

/**
 * Nothing fails any more: frozen processes go on, every call comes through, and ninety days pass. Then all must be at rest:
 * every cent accounted for, every event delivered or given up for a reason, no lease held, nothing due.
 */
export async function settle(world: World): Promise<void> {
  const { scheduler, witness, trace } = world
  trace.note(() => 'nothing breaks any more')
  world.rates = no_faults
  for (const process of world.processes) process.state = 'running'
  while (await scheduler.releaseOne());
  scheduler.letCallsThrough()
  await world.untilDone()
  await world.pass(minute_ms)
  const process = world.running[0] ?? startProcess(world)
  for (const other of world.processes.filter((one) => one !== process)) world.kill(other)
  process.dispatch()
  await scheduler.rest()
  // A processor counts a notification as told even if nobody received it, so `nextNotificationAt` may say nothing:
  // reconcile once regardless.
  await world.until(process.engine.reconcile())
  for (const wait_ms of waits_ms) {
    await passQuietly(world, process, wait_ms)
    await reconcileIfDue(world, process)
    await sweepIfDue(world, process)
  }
  await world.until(process.engine.reconcile())
  const { commits } = witness.book
  await world.until(process.engine.reconcile())
  if (witness.book.commits !== commits) witness.report('M46', 'reconciling again changed something')
  checkRest(world)
  world.kill(process)
}

/** Deliveries that fall due on the way are sent at their own time. */
async function passQuietly(world: World, process: SimulatedProcess, wait_ms: number): Promise<void> {
  const { timeline } = world
  const end_ms = timeline.passed_ms + wait_ms
  for (;;) {
    const { delivery } = await world.store.nextDue(null)
    const due_ms = delivery === null ? Number.POSITIVE_INFINITY : Date.parse(delivery) - process.clock.now()
    if (timeline.passed_ms + due_ms >= end_ms) break
    // What is already due and was not taken is under a lease.
    await world.pass(due_ms > 0 ? due_ms : delivery_lease_ms)
    await sweepIfDue(world, process)
  }
  await world.pass(Math.max(0, end_ms - timeline.passed_ms))
}

async function sweepIfDue(world: World, process: SimulatedProcess): Promise<void> {
  const { delivery } = await world.store.nextDue(null)
  if (delivery !== null && delivery <= iso(process.clock.now())) await world.until(process.dispatch().drain())
}

async function reconcileIfDue(world: World, process: SimulatedProcess): Promise<void> {
  const now = iso(process.clock.now())
  const { row } = await world.store.nextDue(null)
  const { sandbox, live } = world.banks
  const news = await Promise.all([sandbox, live].map(({ processor }) => processor.nextNotificationAt()))
  const due = [row, ...news].some((at) => at !== null && at <= now)
  if (due) await world.until(process.engine.reconcile())
}

function checkRest(world: World): void {
  const { witness, places, timeline } = world
  checkOrphans(world)
  for (const { scope } of places) {
    const rows = witness.book.rows(scope)
    const { ledger } = world.bankOf(scope)
    const charges = ledger.charges()
    const refunded = ledger.refunds()
    const { unknown } = witness.money
    const now = iso(timeline.engine_ms)
    const moment = { rows, charges, refunded, unknown, now, quiet: true, clock_was_set: true }
    for (const { invariant, detail } of checkInvariants(moment)) witness.report(invariant, detail)
    witness.deliveries.checkRest(scope)
  }
  for (const livemode of [false, true])
    for (const { id } of witness.book.table({ workspace: 'engine', livemode }, 'held_notifications').values())
      witness.report('M53', `what the processor told of ${id} is still held`)
}

/** M3, M15: every key in the processor's ledger is that of a payment or refund of ours. */
function checkOrphans({ witness, places, banks }: World): void {
  const { book, report } = witness
  for (const { livemode, ledger } of [banks.sandbox, banks.live]) {
    const scopes = places.map(({ scope }) => scope).filter((scope) => scope.livemode === livemode)
    const keysOf = (table: 'payments' | 'refunds') =>
      new Set(scopes.flatMap((scope) => [...book.table(scope, table).values()].map(keyOf)))
    const payments = keysOf('payments')
    const refunds = keysOf('refunds')
    for (const { key } of ledger.charges())
      if (!payments.has(key)) report('M3', `the processor holds a charge of no payment: ${key}`)
    for (const { key, charge_key } of ledger.refunds())
      if (!refunds.has(key) || !payments.has(charge_key))
        report('M15', `the processor holds a refund of nothing of ours: ${key} of ${charge_key}`)
  }
}
