import { aroundUnit, withOwn } from '../../../testing/src/ports/around.ts'
import type { Store } from '../../src/ports/store.ts'
import type { TableName } from '../../src/ports/tables.ts'

export interface HeldStore {
  store: Store
  /** Resolves when the first unit of work is held. */
  held: Promise<void>
  /** Lets it go on, and holds none any more. */
  release(): void
  /** How often each unit of work was run. */
  readonly runs: readonly number[]
}

/** A store that holds the first unit of work that asks a table this, once it has its answer and what it locked by it. */
export function heldStore(store: Store, table: TableName, method: 'page' | 'lock'): HeldStore {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const runs: number[] = []
  let isTaken = false
  const hold = async () => {
    if (isTaken) return
    isTaken = true
    held.resolve()
    await released.promise
  }
  return {
    store: withOwn(store, {
      transaction(scope, work) {
        const unit = runs.push(0) - 1
        return store.transaction(scope, (tx) => {
          runs[unit] = (runs[unit] ?? 0) + 1
          return work(
            aroundUnit(tx, async (call, run) => {
              const answer = await run()
              if (call.table === table && call.method === method) await hold()
              return answer
            }),
          )
        })
      },
    }),
    held: held.promise,
    release: () => released.resolve(),
    runs,
  }
}
