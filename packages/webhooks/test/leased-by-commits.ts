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
