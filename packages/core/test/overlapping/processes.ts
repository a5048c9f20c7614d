import { setTimeout } from 'node:timers/promises'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { type Around, aroundPorts, aroundUnit } from '../../../testing/src/ports/around.ts'
import type { Random } from '../../../testing/src/random.ts'
import type { Store, Transaction } from '../../src/ports/store.ts'
import type { RaceRows } from '../simulation/race.ts'
import { testedStore } from '../stores/tested-store.ts'
import type { Locks } from './locks.ts'
import type { Receiver } from './receiver.ts'

interface Round {
  rows: RaceRows
  sandbox: Sandbox
  random: Random
  receiver: Receiver
  locks: Locks
}

interface Pace {
  /** It waits at one of so many calls; 0: never. */
  one_in: number
  wait(): Promise<void>
  /** Whether it waits between the statements of a unit of work, too, and before its commit. */
  within: boolean
}

/** Two engines on the same rows and processor, at a pace of their own each. */
export function twoProcesses({ rows, sandbox, random, receiver, locks }: Round): Sandbox[] {
  const paces = drawPaces(random)
  return [rows.store, rows.again].map((own, n) => {
    const { one_in, wait, within } = paces[n] ?? paces[0]
    const sometimes = async () => {
      if (one_in > 0 && random.below(one_in) === 0) await wait()
    }
    const store = receiver.watching(locks.watching(within ? slowWithin(own, sometimes) : own))
    const around: Around = async (_call, run) => {
      await sometimes()
      const answer = await run()
      await sometimes()
      return answer
    }
    const ports = aroundPorts({ store, processor: sandbox.processor }, around)
    const live = aroundPorts({ store, processor: sandbox.live_processor }, around)
    const processors = { sandbox: ports.processor, live: live.processor }
    return sandbox.another({ processors, store: ports.store })
  })
}

/** Both prompt, both slow now and then, or, beside a database, one so slow that the other does much meanwhile. */
function drawPaces(random: Random): [Pace, Pace] {
  const { late, repeats } = testedStore()
  // Where all share one process, a unit of work that waits would keep the others' database waiting with it.
  const within = !repeats && random.below(4) > 0
  const turns: Pace = { one_in: random.pick([0, 2, 4]), wait: () => late(random), within }
  const prompt: Pace = { ...turns, one_in: 0 }
  const trips: Pace = { one_in: random.pick([2, 3, 8]), wait: () => setTimeout(random.below(12)), within }
  if (repeats) return [turns, turns]
  return random.pick<[Pace, Pace]>([
    [prompt, prompt],
    [turns, turns],
    [trips, trips],
    [prompt, trips],
    [trips, prompt],
    [turns, trips],
  ])
}

/** Statements wait a while before they are sent, in the order in which they were asked for, and so does the commit. */
function slowWithin(store: Store, sometimes: () => Promise<void>): Store {
  return {
    ...store,
    transaction: (scope, work) =>
      store.transaction(scope, async (tx) => {
        const result = await work(slowTransaction(tx, sometimes))
        await sometimes()
        return result
      }),
  }
}

function slowTransaction(tx: Transaction, sometimes: () => Promise<void>): Transaction {
  let turn = Promise.resolve()
  return aroundUnit(tx, (_call, run) => {
    turn = turn.then(sometimes)
    return turn.then(run)
  })
}
