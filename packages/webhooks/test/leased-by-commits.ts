import type { Store, Transaction } from '@quittance/core'
import { expect } from 'vitest'
import { aroundUnit, withOwn } from '../../testing/src/ports/around.ts'
import { type OpenQueue, storeQueue } from '../src/index.ts'
import { type Service, service } from './service.ts'

/** The store's, of which no claim gives anything. */
export const blind: OpenQueue = (engine) => ({ ...storeQueue(engine), claim: async () => [] })

export function rowsOf({ store, caller: { workspace, livemode } }: Service) {
  return store.read({ workspace: workspace.id, livemode }, ({ deliveries }) =>
    deliveries.page({ where: {}, limit: 99 }),
  )
}

export const leasesOf = async (made: Service) => (await rowsOf(made)).map(({ lease }) => lease)

/** One on the same rows, which hears late of commits that leased deliveries. */
export async function anotherProcess(
  { store, clock, caller }: Service,
  late: () => Promise<unknown>,
): Promise<Service> {
  const answersLate = withOwn(store, {
    async transaction(scope, work) {
      let leases = false
      const result = await store.transaction(scope, (tx) =>
        work(
          aroundUnit(tx, (call, run) => {
            leases ||= call.method === 'leaseDeliveries'
            return run()
          }),
        ),
      )
      if (leases) await late()
      return result
    },
  })
  return { ...(await service({ store: answersLate, clock })), caller }
}

interface SecondRun {
  /** What happens before it. */
  before?: () => Promise<unknown>
  /** What it is given. */
  within?: (tx: Transaction) => Transaction
}

/** A store that undoes the first run of each unit, and runs it again. */
export function runningTwice(
  store: Store,
  { before = async () => {}, within = (tx) => tx }: SecondRun,
): Store {
  const undone = new Error('undone')
  return withOwn(store, {
    async transaction(scope, work) {
      const first = async () =>
        await store.transaction(scope, async (tx) => {
          await work(tx)
          throw undone
        })
      await expect(first).rejects.toBe(undone)
      await before()
      return store.transaction(scope, (tx) => work(within(tx)))
    },
  })
}
