import { AsyncLocalStorage } from 'node:async_hooks'

/** A queue of work done one after another. `last` is the end of its newest entry, and never rejects. */
interface Line {
  last: Promise<unknown>
}

/** The work that has its turn now, and the queue of what it asks for from inside. */
interface Turn extends Line {
  transaction: object
  over: boolean
}

const lines = new WeakMap<object, Line>()
const current = new AsyncLocalStorage<Turn>()

/**
 * Runs units of work in one transaction one after another, in the order of the calls, because a transaction has one
 * state at a time. What a listener asks for inside a unit runs at once, as part of it: waiting for the unit's end would
 * be a deadlock.
 */
export function inTurn<Value>(transaction: object, run: () => Promise<Value>): Promise<Value> {
  const line = lineOf(transaction)
  const turn: Turn = { transaction, over: false, last: Promise.resolve() }
  const running = line.last
    .then(() => current.run(turn, run))
    .finally(() => {
      turn.over = true
      // Work that `run` started and did not await still ends before the next turn.
      return turn.last
    })
  line.last = running.then(nothing, nothing)
  return running
}

function lineOf(transaction: object): Line {
  const around = current.getStore()
  if (around !== undefined && around.transaction === transaction && !around.over) return around
  const known = lines.get(transaction)
  if (known !== undefined) return known
  const line: Line = { last: Promise.resolve() }
  lines.set(transaction, line)
  return line
}

function nothing(): void {}
