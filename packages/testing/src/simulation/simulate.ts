import type { Violation } from '../invariants/moment.ts'
import { WrongLedger } from '../processor/ledger.ts'
import { Client } from './client.ts'
import { disturb } from './disturb.ts'
import { drawRates, no_faults } from './faults.ts'
import { settle } from './settle.ts'
import { banksOf, checkOptions, type SimulateOptions } from './simulate-options.ts'
import type { Counters } from './situations.ts'
import { startProcess } from './start-process.ts'
import { register } from './steps/announcing.ts'
import { openings, rare, type Step, steps } from './steps/steps.ts'
import { World } from './world.ts'

export interface Simulation {
  seed: number
  /** What happened, a line each, with ids numbered in order of appearance; a violation's line has the real ids too. */
  trace: string[]
  /** What did not hold, by its number in the list of invariants. Empty: all of it held. */
  violations: Violation[]
  /** How often each of the situations of interest occurred. */
  counters: Counters
}

/**
 * One history of a few clients, a few processes on one store and a processor, in virtual time, drawn from one seed: the
 * same every time. What must always hold is checked after every commit, charge, attempt and response. Then faults end,
 * ninety days pass, and everything must be at rest.
 */
export async function simulate(options: SimulateOptions): Promise<Simulation> {
  checkOptions(options)
  const { trace, witness } = await play(options)
  return {
    seed: options.seed,
    trace: trace.lines(),
    violations: witness.violations,
    counters: witness.counters,
  }
}

/** The world after a history. */
export async function play({ seed, faults = true, trace = true, store, processor }: SimulateOptions) {
  const world = new World({ seed, traced: trace, store, bank: processor && banksOf(processor) })
  const rates = faults === true ? drawRates(world.random) : { ...no_faults, ...(faults || {}) }
  try {
    await prepare(world)
    world.rates = rates
    await unfold(world)
    await settle(world)
  } catch (fault) {
    if (fault instanceof WrongLedger) throw fault
    world.witness.report('M53', `the history broke off: ${fault instanceof Error ? fault.message : fault}`)
  }
  return world
}

/** One workspace, rarely two, and one to three processes, most of which dispatch. */
async function prepare(world: World): Promise<void> {
  const { random } = world
  const first = startProcess(world)
  const acme = await world.found(first.engine, 'Acme')
  world.places.push(acme.sandbox)
  if (random.below(4) === 0) world.places.push(acme.live)
  if (random.below(6) === 0) world.places.push((await world.found(first.engine, 'Other')).sandbox)
  for (let more = random.below(3); more > 0; more -= 1) startProcess(world)
  for (const process of world.processes) if (random.below(3) > 0) process.dispatch()
  await world.scheduler.rest()
  for (let endpoints = random.below(3); endpoints > 0; endpoints -= 1) await register(clientOf(world))
}

/** The part of a history in which things happen, and fail. */
async function unfold(world: World): Promise<void> {
  const { random, scheduler } = world
  const kinds: Step[] = [random.pick(openings)]
  for (let more = 2 + random.below(3); more > 0; more -= 1) kinds.push(random.pick(steps))
  if (random.below(400) === 0) kinds.push(rare)
  // Most histories are short, some long enough for what needs many steps.
  let left = 2 + random.below(random.below(6) === 0 ? 12 : 5)
  await scheduler.holdCalls()
  for (let turn = 0; turn < 400 && (left > 0 || world.unfinished > 0); turn += 1) {
    if (left > 0 && (world.unfinished === 0 || random.below(6) === 0)) {
      left -= 1
      launch(world, random.pick(kinds))
    }
    const calm = scheduler.waiting > 0 && random.below(12) > 0
    if (!calm) await disturb(world)
    await scheduler.releaseOne()
    if (world.unfinished > 0 && scheduler.waiting === 0) await world.passToNextTimer()
  }
}

function launch(world: World, step: Step): void {
  world.trace.note(() => `a client begins to ${step.name}`)
  world.launch(step(clientOf(world)))
}

/** Most clients are of the first workspace and its sandbox, so that they meet. */
function clientOf(world: World): Client {
  const { random, places } = world
  const [home] = places
  return new Client(world, random.below(2) > 0 && home ? home : random.pick(places))
}
