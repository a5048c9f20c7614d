import { iso, type Result, type Scope, type Store, type Transaction } from '@quittance/core'
import type { Write } from '../invariants/book.ts'
import { withOwn } from '../ports/around.ts'
import { faults, strikes } from './faults.ts'
import type { SimulatedProcess } from './process.ts'
import { recordedTransaction } from './recorded-transaction.ts'
import { unanswered } from './scheduler.ts'
import type { World } from './world.ts'

/** The store as one process reaches it: every call waits for its turn, and fails as the history's rates say. */
export function storeLink(world: World, process: SimulatedProcess): Store {
  const { store, scheduler } = world
  const call = async <Answer>(run: () => PromiseLike<Answer | typeof unanswered>): Promise<Answer> => {
    const answer = await scheduler.hold(process, () => {
      mayFail(world, 'store_busy')
      return run()
    })
    // On its way back, others may go first.
    return strikes(world, 'store_answers_late') ? scheduler.hold(process, async () => answer) : answer
  }
  return withOwn(store, {
    transaction(scope, work) {
      // A call uses the time at which it is made, however long it then waits.
      const now = iso(process.clock.now())
      return call(() => runUnit(world, process, { scope, work, now }))
    },
    read: (scope, work) =>
      call(() => {
        world.witness.leases.reads(process, scope)
        return store.read(scope, work)
      }),
    // Announcements may be missed, and here they always are: others find the deliveries when they sweep.
    announceDeliveries() {},
    onDeliveriesElsewhere: () => () => {},
    findApiKey: (hash) => call(() => store.findApiKey(hash)),
    due: (request) => call(() => store.due(request)),
    nextDue: (after) => call(() => store.nextDue(after)),
    claimDeliveries(request) {
      const asked = { at: request.at, real_at: iso(process.clock.real()) }
      return call(async () => {
        const claimed = await store.claimDeliveries(request)
        world.witness.leases.claims(process, asked, claimed)
        return claimed
      })
    },
  })
}

interface UnitOfWork<Value, Refusal> {
  scope: Scope
  work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>
}

async function runUnit<Value, Refusal>(
  world: World,
  process: SimulatedProcess,
  { scope, work, now }: UnitOfWork<Value, Refusal> & { now: string },
): Promise<Result<Value, Refusal> | typeof unanswered> {
  const { store, witness } = world
  if (strikes(world, 'store_runs_again')) await rollBack(world, { scope, work })
  let writes: Write[] = []
  const result = await store.transaction<Value, Refusal>(scope, async (tx) => {
    writes = []
    const result = await work(recordedTransaction(tx, writes))
    if (result.isOk() && writes.length > 0) mayFail(world, 'store_fails_before_commit')
    return result
  })
  if (result.isErr() || writes.length === 0) return result
  witness.commits(process, { scope, now, writes })
  if (strikes(world, 'crash_after_commit')) {
    world.kill(process)
    return unanswered
  }
  mayFail(world, 'store_fails_after_commit')
  return result
}

/** Runs a unit and rolls it back, as a store does after a serialization failure. */
async function rollBack<Value, Refusal>(
  world: World,
  { scope, work }: UnitOfWork<Value, Refusal>,
): Promise<void> {
  const undone = new Error('rolled back')
  await world.store
    .transaction<Value, Refusal>(scope, async (tx) => {
      await work(tx)
      throw undone
    })
    .catch((fault: unknown) => {
      if (fault !== undone) throw fault
    })
}

/** Throws if the fault strikes: the engine gets no other answer. */
function mayFail(
  world: World,
  fault: 'store_busy' | 'store_fails_before_commit' | 'store_fails_after_commit',
): void {
  if (!strikes(world, fault)) return
  world.trace.note(() => `  ${faults[fault]}`)
  throw new Error(faults[fault])
}
