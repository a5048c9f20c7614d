import { aroundUnit } from '../../../testing/src/ports/around.ts'
import type { ScopeLock, Store, Transaction } from '../../src/ports/store.ts'

const taking = new Set(['lock', 'update', 'delete'])
const making = new Set(['insert', 'insertNew'])

/**
 * The order in which units of work take the rows they hold, and the scope as a whole. Two that take the same two in
 * opposite orders can wait for each other until the database undoes one of them, which costs a second each time.
 */
export class Locks {
  /** What one unit of work took, in the order in which it did. */
  readonly #units: Map<string, ScopeLock>[] = []

  watching(store: Store): Store {
    return {
      ...store,
      transaction: (scope, work) =>
        store.transaction(scope, (tx) => {
          const taken = new Map<string, ScopeLock>()
          this.#units.push(taken)
          return work(watched(tx, { taken, whole: `the scope ${scope.workspace} ${scope.livemode}` }))
        }),
    }
  }

  /** Pairs that were taken in both orders, by units that no third thing kept apart. */
  opposite(): string[] {
    const found = new Set<string>()
    for (const [n, taken] of this.#units.entries())
      for (const other of this.#units.slice(n + 1))
        for (const pair of oppositeIn(taken, other)) found.add(pair)
    return [...found]
  }
}

function oppositeIn(one: ReadonlyMap<string, ScopeLock>, other: ReadonlyMap<string, ScopeLock>): string[] {
  const meets = (name: string) =>
    other.has(name) && (one.get(name) === 'exclusive' || other.get(name) === 'exclusive')
  const both = [...one.keys()].filter(meets)
  const places = new Map([...other.keys()].map((name, place) => [name, place]))
  const place = (name: string) => places.get(name) ?? 0
  return both.flatMap((second, n) => {
    const earlier = both.slice(0, n)
    if (earlier.some((name) => place(name) < place(second))) return []
    return earlier.slice(0, 1).map((first) => `${first} before ${second}, and after it`)
  })
}

function watched(
  tx: Transaction,
  { taken, whole }: { taken: Map<string, ScopeLock>; whole: string },
): Transaction {
  // Nobody else can wait for a row that nobody else can see.
  const own = new Set<string>()
  return aroundUnit(tx, (call, run) => {
    if (call.table === null) {
      if (!taken.has(whole)) taken.set(whole, call.mode)
      return run()
    }
    const row = `${call.table} ${call.id}`
    if (making.has(call.method)) own.add(row)
    if (taking.has(call.method) && !own.has(row)) taken.set(row, 'exclusive')
    return run()
  })
}
