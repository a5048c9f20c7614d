import { createEngine, type Engine, type EventType, eventType } from '@quittance/core'
import { startDispatcher } from '@quittance/webhooks'
import { seededIds } from '../random.ts'
import { strikes } from './faults.ts'
import { type Program, SimulatedProcess } from './process.ts'
import { processorLink } from './processor-link.ts'
import { simulatedSender } from './simulated-sender.ts'
import { storeLink } from './store-link.ts'
import type { World } from './world.ts'

/** Longer than any history. */
const never_ms = 1_000 * 86_400_000

/** A new process. The history's rates decide whether its clock is off. */
export function startProcess(world: World): SimulatedProcess {
  world.started += 1
  const number = world.started
  const skew_ms = strikes(world, 'clock_skew') ? (world.random.below(11) - 5) * 1000 : 0
  const process = new SimulatedProcess({
    name: `p${number}`,
    clockOf: (owner) => world.timeline.clockOf(owner, skew_ms),
    load: (owner) => programOf(world, owner, number),
  })
  world.processes.push(process)
  world.trace.note(() => `${process.name} starts${skew_ms === 0 ? '' : `, its clock ${skew_ms} ms off`}`)
  return process
}

/** An engine whose outside calls all go through the world; its dispatcher is woken by what it waits for, never by a sweep. */
function programOf(world: World, process: SimulatedProcess, number: number): Program {
  const engine = createEngine({
    store: storeLink(world, process),
    secret: 'a secret of the simulation, 32 bytes or more',
    publicUrl: 'https://pay.example.com',
    ids: seededIds(world.seed * 64 + number),
    clock: process.clock,
    processors: {
      sandbox: processorLink(world, process, world.banks.sandbox),
      live: processorLink(world, process, world.banks.live),
    },
    on: throwingListeners(world),
    logger: {
      info() {},
      warn: (message, fields) => world.witness.hears(message, fields),
      error: (message, fields) => world.witness.hears(message, fields),
    },
  })
  return {
    engine,
    startDispatcher() {
      world.scheduler.takes_turns = true
      return startDispatcher(watched(engine, world), {
        sender: simulatedSender(world, process),
        pollMs: never_ms,
        concurrency: 20,
      })
    },
  }
}

/** The same engine, for a dispatcher: its questions about endpoints are witnessed. */
function watched(engine: Engine, { witness }: World): Engine {
  const { deliveries } = engine
  return {
    ...engine,
    deliveries: {
      ...deliveries,
      unchanged(leased) {
        witness.leases.asks(leased)
        return deliveries.unchanged(leased)
      },
    },
  }
}

/** The host listens to every event, and sometimes throws. */
function throwingListeners(world: World): Partial<Record<EventType, () => void>> {
  const listen = () => {
    if (strikes(world, 'listener_throws')) throw new Error('the listener is on fire')
  }
  return Object.fromEntries(eventType.options.map((type) => [type, listen]))
}
