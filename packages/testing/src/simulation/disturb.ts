import { iso } from '@quittance/core'
import { day_ms, hour_ms, minute_ms, second_ms } from '../durations.ts'
import { keyOf } from '../invariants/moment.ts'
import { strikes } from './faults.ts'
import { startProcess } from './start-process.ts'
import type { World } from './world.ts'

/** The waits after which something falls due, and those just beside them: leases, timeouts, batches, expiries, retries. */
const waits_ms = [
  0,
  second_ms,
  15 * second_ms,
  30 * second_ms,
  31 * second_ms,
  minute_ms,
  minute_ms + 1,
  5 * minute_ms,
  30 * minute_ms - 1,
  30 * minute_ms + 1,
  hour_ms,
  6 * hour_ms,
  day_ms,
  3 * day_ms,
] as const

const jumps_ms = [
  -7 * day_ms,
  -hour_ms,
  -31 * second_ms,
  -second_ms,
  31 * second_ms,
  hour_ms,
  4 * day_ms,
] as const

/** What happens besides the calls that come through: time, the reconciler, the bank, and faults. */
export async function disturb(world: World): Promise<void> {
  const { random } = world
  endFreezes(world)
  if (strikes(world, 'crash')) crash(world)
  if (strikes(world, 'freeze')) freeze(world)
  if (strikes(world, 'clock_jump')) jump(world)
  if (world.processes.length === 0 || (world.processes.length < 3 && random.below(20) === 0)) restart(world)
  const what = random.below(10)
  if (what < 3) reconcile(world)
  else if (what < 5) sweep(world)
  else if (what < 6) byHand(world)
  else await passTime(world)
  await world.scheduler.rest()
}

/** Mostly passes a moment; rarely a day or more, which ends most of what was begun. */
async function passTime(world: World): Promise<void> {
  const { random } = world
  const wait_ms = random.below(3) > 0 ? random.pick(waits_ms.slice(0, 7)) : random.pick(waits_ms)
  world.trace.note(() => `${wait_ms / second_ms} s pass`)
  await world.pass(wait_ms)
}

function reconcile(world: World): void {
  const { random, running } = world
  if (running.length === 0) return
  const process = random.pick(running)
  world.trace.note(() => `${process.name} reconciles`)
  world.launch(world.ask(process, 'reconcile', (engine) => engine.reconcile()))
}

/** A dispatcher looks for what nothing woke it for: deliveries filed by others, or left under leases that are over. */
function sweep(world: World): void {
  const { random, running } = world
  const dispatching = running.filter(({ dispatches }) => dispatches)
  if (dispatching.length === 0) return
  const process = random.pick(dispatching)
  world.trace.note(() => `${process.name} sweeps`)
  world.launch(world.ask(process, 'sweep', () => process.dispatch().drain()))
}

function crash(world: World): void {
  if (world.processes.length > 0) world.kill(world.random.pick(world.processes))
}

function restart(world: World): void {
  const process = startProcess(world)
  if (world.random.below(3) > 0) process.dispatch()
}

function freeze(world: World): void {
  const { random, running } = world
  if (running.length === 0) return
  const process = random.pick(running)
  process.freeze(world.timeline.passed_ms)
  world.trace.note(() => `${process.name} freezes`)
}

function endFreezes(world: World): void {
  for (const process of world.processes) {
    if (process.state !== 'frozen' || world.random.below(8) > 0) continue
    const { frozen_ms } = process.thaw(world.timeline.passed_ms)
    world.witness.saw('a process was frozen and went on')
    if (frozen_ms > 30 * second_ms) world.witness.saw('a process was frozen past a lease')
    world.trace.note(() => `${process.name} goes on after ${frozen_ms / second_ms} s`)
  }
}

function jump(world: World): void {
  const jump_ms = world.random.pick(jumps_ms)
  if (jump_ms > 0 && world.random.below(2) === 0) {
    world.timeline.turn(jump_ms)
    world.witness.saw("the sandbox's clock was turned ahead")
    world.trace.note(() => `the sandbox's clock is turned ahead by ${jump_ms / second_ms} s`)
    return
  }
  if (jump_ms < 0) world.witness.leases.ends(iso(world.timeline.real_ms))
  world.timeline.jump(jump_ms)
  world.witness.saw(jump_ms > 0 ? 'the clocks jumped ahead' : 'the clocks jumped back')
  world.trace.note(() => `the clocks jump by ${jump_ms / second_ms} s`)
  // A jump is there to test what began before it and changes after it.
  if (jump_ms < 0) byHand(world)
}

/** What a processor is made to do, a chargeback twice as often as anything else. */
const by_hand = [
  'succeedRefund',
  'failRefund',
  'settle',
  'fail',
  'returnCharge',
  'chargeback',
  'chargeback',
] as const

/** The bank settles, fails or returns something at an unusual time. */
function byHand(world: World): void {
  const { random, witness, places, timeline } = world
  const { scope } = random.pick(places)
  const { control } = world.bankOf(scope)
  if (control === null) return
  const at = iso(timeline.engine_ms)
  const step = random.pick(by_hand)
  const rows =
    step === 'succeedRefund' || step === 'failRefund'
      ? [...witness.book.table(scope, 'refunds').values()].filter(({ status }) => status === 'pending')
      : [...witness.book.table(scope, 'payments').values()].filter(({ status }) => !isOver(status))
  if (rows.length === 0) return
  const key = keyOf(random.pick<{ workspace: string; id: string }>(rows))
  const done = step === 'returnCharge' ? control.returnCharge(key, 'R01', at) : control[step](key, at)
  if (!done) return
  witness.saw('a step at the processor by hand')
  world.trace.note(() => `the processor does ${step} of ${key}`)
  if (random.below(2) === 0) reconcile(world)
}

function isOver(status: string | null): boolean {
  return status === 'failed' || status === 'canceled' || status === 'returned'
}
