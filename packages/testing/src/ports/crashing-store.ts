import type { Result, Scope, Store, TableName, Transaction } from '@quittance/core'
import { aroundUnit, withOwn } from './around.ts'

const writes = new Set(['insert', 'insertNew', 'update', 'delete'])

/** A unit of work that is about to commit. `n` counts those that wrote something, from 1. */
export interface Committing {
  n: number
  scope: Scope
  written: ReadonlySet<TableName>
}

/** `before_commit` rolls the unit back; `after_commit` commits it and loses the response. Either way it throws. */
export type CommitFault = 'none' | 'before_commit' | 'after_commit'

/** A store whose commits fail as `plan` says. `plan` is called once for every unit that wrote something. */
export function crashingStore(store: Store, plan: (unit: Committing) => CommitFault): Store {
  let units = 0
  return withOwn(store, {
    async transaction<Value, Refusal>(
      scope: Scope,
      work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>,
    ) {
      let fault = 'none' as CommitFault
      const result = await store.transaction<Value, Refusal>(scope, async (tx) => {
        const written = new Set<TableName>()
        const watched = aroundUnit(tx, ({ table, method }, run) => {
          if (table !== null && writes.has(method)) written.add(table)
          return run()
        })
        const result = await work(watched)
        if (result.isErr() || written.size === 0) return result
        units += 1
        fault = plan({ n: units, scope, written })
        if (fault === 'before_commit') throw new Error('the commit failed')
        return result
      })
      if (fault === 'after_commit') throw new Error('the answer to the commit was lost')
      return result
    },
  })
}
