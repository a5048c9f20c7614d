import { AsyncLocalStorage } from 'node:async_hooks'

/** What is done one after another: the last of it. Never rejects. */
interface Line {
  last: Promise<unknown>
}

/** What has its turn now, and the line of what is done inside it. */
interface Turn extends Line {
  transaction: object
  over: boolean
}

const lines = new WeakMap<object, Line>()
const current = new AsyncLocalStorage<Turn>()

/**
 * A transaction has one state at a time: units of work in it run one after another, in the order of the calls. What a
 * listener asks for inside a unit is part of it and runs at once; to wait for the unit's end would be to wait for ever.
 */
export function inTurn<Value>(transaction: object, run: () => Promise<Value>): Promise<Value> {
  const line = lineOf(transaction)
  const turn: Turn = { transaction, over: false, last: Promise.resolve() }
  const running = line.last
    .then(() => current.run(turn, run))
    .finally(() => {
      turn.over = true
      // What was not awaited inside it comes before the next turn.
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
