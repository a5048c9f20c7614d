import { aroundTables } from '../../../testing/src/simulation/ports.ts'
import type { Store, Transaction } from '../../src/ports/store.ts'

const taking = new Set(['lock', 'update', 'delete'])
const making = new Set(['insert', 'insertNew'])

/**
 * The order in which units of work take the rows they hold. Two that take the same two rows in opposite orders can
 * wait for each other until the database undoes one of them, which costs a second each time.
 */
export class Locks {
  /** Rows in the order in which one unit of work took them. */
  readonly #units: Set<string>[] = []

  watching(store: Store): Store {
    return {
      ...store,
      transaction: (scope, work) =>
        store.transaction(scope, (tx) => {
          const taken = new Set<string>()
          this.#units.push(taken)
          return work(watched(tx, taken))
        }),
    }
  }

  /** Pairs of rows that were taken in both orders, by units that no third row kept apart. */
  opposite(): string[] {
    const found = new Set<string>()
    const units = this.#units.map((taken) => [...taken])
    const places = units.map((taken) => new Map(taken.map((row, place) => [row, place])))
    for (const [n, taken] of units.entries()) {
      for (const [place, second] of taken.entries()) {
        const earlier = taken.slice(0, place)
        for (const other of places.slice(n + 1)) {
          const other_place = other.get(second)
          if (other_place === undefined) continue
          const kept_apart = earlier.some((row) => (other.get(row) ?? other_place) < other_place)
          const first = earlier.find((row) => (other.get(row) ?? -1) > other_place)
          if (first !== undefined && !kept_apart) found.add(`${first} before ${second}, and after it`)
        }
      }
    }
    return [...found]
  }
}

function watched(tx: Transaction, taken: Set<string>): Transaction {
  // Nobody else can wait for a row that nobody else can see.
  const own = new Set<string>()
  return aroundTables(tx, ({ table, method, id }, run) => {
    const row = `${table} ${id}`
    if (making.has(method)) own.add(row)
    if (taking.has(method) && !own.has(row)) taken.add(row)
    return run()
  })
}
