import { ResultAsync, type Store, type TableName, type Transaction } from '@quittance/core'

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
    store: {
      ...store,
      transaction(scope, work) {
        const unit = runs.push(0) - 1
        return new ResultAsync(
          (async () =>
            await store.transaction(scope, (tx) => {
              runs[unit] = (runs[unit] ?? 0) + 1
              return work(holding(tx, { table, method, hold }))
            }))(),
        )
      },
    },
    held: held.promise,
    release: () => released.resolve(),
    runs,
  }
}

interface Hold {
  table: TableName
  method: string
  hold(): Promise<void>
}

function holding(tx: Transaction, { table, method, hold }: Hold): Transaction {
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value === 'function') return value.bind(target)
      if (name !== table) return value
      return new Proxy(value as object, {
        get(of, called) {
          const run: unknown = Reflect.get(of, called, of)
          if (typeof run !== 'function' || called !== method)
            return typeof run === 'function' ? run.bind(of) : run
          return async (...args: unknown[]) => {
            const answer: unknown = await run.apply(of, args)
            await hold()
            return answer
          }
        },
      })
    },
  })
}
