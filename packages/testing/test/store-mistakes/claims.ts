import type { ClaimedDelivery, ClaimRequest, Store, Transaction } from '@quittance/core'
import { withOwn } from '../../src/ports/around.ts'
import type { Mistakes } from './planting.ts'

const asking =
  (change: (request: ClaimRequest) => Partial<ClaimRequest>) =>
  (sound: Store): Pick<Store, 'claimDeliveries'> => ({
    claimDeliveries: (request) => sound.claimDeliveries({ ...request, ...change(request) }),
  })

const giving =
  (change: (claimed: ClaimedDelivery[]) => ClaimedDelivery[]) =>
  (sound: Store): Pick<Store, 'claimDeliveries'> => ({
    claimDeliveries: async (request) => change(await sound.claimDeliveries(request)),
  })

const leasing =
  (lease: (tx: Transaction) => Transaction['leaseDeliveries']) =>
  (sound: Store): Pick<Store, 'transaction'> => ({
    transaction: (scope, work) =>
      sound.transaction(scope, (tx) => work(withOwn(tx, { leaseDeliveries: lease(tx) }))),
  })

const of = (sentence: string) => `a claim of deliveries ${sentence}`
const of_unit = (sentence: string) => `a unit of work that leases what it files ${sentence}`
const places = of('gives a workspace at most `per_workspace` live leases, in both environments together')
const to_the_millisecond = of(
  'takes a delivery once it is due, and again once its lease is over, to the millisecond',
)
const ahead = of(
  'leases ahead the next due deliveries of an endpoint, up to `rounds` for each one taken, and returns them last',
)
const ended = of('does not count the leases in `ended`, but leaves their deliveries alone')
const modelled = of(
  'takes and leases ahead exactly what a plain model does, whatever is due, leased, ended or enabled',
)
const all_or_nothing = of_unit(
  'leases all it asks for or none: at most `per_workspace`, in both environments together',
)
const first_and_last = (one: ClaimedDelivery, other: ClaimedDelivery) =>
  one.delivery.id < other.delivery.id ? -1 : 1

/** Mistakes with what a claim or a unit of work leases. */
export const claimMistakes: Mistakes = {
  'takes one place too many': {
    sentence: places,
    makes: asking(({ per_workspace }) => ({ per_workspace: per_workspace + 1 })),
  },
  'has ten places, whatever is asked for': {
    sentence: of(
      'does not count a lease whose delivery is no longer pending, even if `lease_until` is still set',
    ),
    makes: asking(() => ({ per_workspace: 10 })),
  },
  'takes all that is due': { sentence: of('takes at most `limit`'), makes: asking(() => ({ limit: 100 })) },
  'leases again what is leased': {
    sentence: places,
    makes: asking(() => ({ real_at: '2100-01-01T00:00:00.000Z' })),
  },
  'never leases again what was leased': {
    sentence: to_the_millisecond,
    makes: asking(() => ({ real_at: '2000-01-01T00:00:00.000Z' })),
  },
  'measures leases by engine time': {
    sentence: to_the_millisecond,
    makes: asking(({ at }) => ({ real_at: at })),
  },
  'takes what is due by real time': {
    sentence: of('leaves alone what is not due, has no `next_attempt_at`, or is no longer pending'),
    makes: asking(({ real_at }) => ({ at: real_at })),
  },
  'leases for a minute, whatever is asked for': {
    sentence: to_the_millisecond,
    makes: asking(({ real_at }) => ({
      lease_until: new Date(Date.parse(real_at) + 60_000).toISOString(),
    })),
  },
  'keeps no place for idle endpoints': {
    sentence: of('keeps a place for an idle endpoint of the other environment'),
    makes: asking(() => ({ reserved: 0 })),
  },
  'counts attempts that have ended': { sentence: ended, makes: asking(() => ({ ended: [] })) },
  'takes an attempt for ended under any lease': {
    sentence: ended,
    makes: asking((request) => ({
      ended: request.ended.flatMap((one) => [one, { ...one, lease: one.lease + 1 }]),
    })),
  },
  'takes an attempt for ended in both environments': {
    sentence: ended,
    makes: asking((request) => ({
      ended: request.ended.flatMap((one) => [one, { ...one, livemode: !one.livemode }]),
    })),
  },
  'leaves alone whatever is listed as ended': {
    sentence: modelled,
    makes: (sound) => ({
      claimDeliveries: async (request) => {
        const isListed = ({ delivery: { id } }: ClaimedDelivery) => request.ended.some((one) => one.id === id)
        return (await sound.claimDeliveries(request)).filter((one) => !isListed(one))
      },
    }),
  },
  'leases nothing ahead': { sentence: ahead, makes: asking(() => ({ ahead: [] })) },
  'leases one ahead, whatever is asked for': {
    sentence: ahead,
    makes: asking((request) => ({ ahead: request.ahead.map((one) => ({ ...one, rounds: 1 })) })),
  },
  'does not say what is leased ahead': {
    sentence: ahead,
    makes: giving((all) => all.map((one) => ({ ...one, ahead: false }))),
  },
  'gives deliveries as they were before': {
    sentence: of(
      'leases what is pending and due, and returns it with its endpoint and the bytes of its event',
    ),
    makes: giving((all) =>
      all.map(({ delivery, ...one }) => ({ ...one, delivery: { ...delivery, lease: delivery.lease - 1 } })),
    ),
  },
  'gives them in the order of their ids': {
    sentence: of('leases ahead for several endpoints in turn'),
    makes: giving((all) => all.sort(first_and_last)),
  },
  'parses bodies and writes them again': {
    sentence: of(
      'leases what is pending and due, and returns it with its endpoint and the bytes of its event',
    ),
    makes: giving((all) => all.map((one) => ({ ...one, body: JSON.stringify(JSON.parse(one.body)) }))),
  },
  'gives nothing to endpoints that are disabled': {
    sentence: modelled,
    makes: giving((all) => all.filter(({ endpoint }) => endpoint.status === 'enabled')),
  },
  'serves one workspace at a time': {
    sentence: of(
      'returns the endpoint and the bytes of each delivery’s own scope, even where scopes have the same ids',
    ),
    makes: giving((all) => all.filter(({ delivery }) => delivery.workspace === all[0]?.delivery.workspace)),
  },
  'leases in a unit however many are leased': {
    sentence: all_or_nothing,
    makes: leasing((tx) => (request) => tx.leaseDeliveries({ ...request, per_workspace: 1_000 })),
  },
  'leases in a unit as many as there are places': {
    sentence: all_or_nothing,
    makes: leasing((tx) => async (request) => {
      for (const id of request.ids) if (!(await tx.leaseDeliveries({ ...request, ids: [id] }))) return false
      return true
    }),
  },
  'says that a unit has leased what it has not': {
    sentence: all_or_nothing,
    makes: leasing((tx) => async (request) => {
      await tx.leaseDeliveries(request)
      return true
    }),
  },
  'counts in a unit leases that are over': {
    sentence: of_unit('does not count a lease that is over'),
    makes: leasing(
      (tx) => (request) => tx.leaseDeliveries({ ...request, real_at: '2000-01-01T00:00:00.000Z' }),
    ),
  },
  'raises no token in a unit': {
    sentence: of_unit('raises the fencing token by one, and keeps claims away until the lease is over'),
    makes: leasing((tx) => async (request) => {
      if (!(await tx.leaseDeliveries(request))) return false
      for (const id of request.ids) {
        const row = await tx.deliveries.lock(id)
        if (row) await tx.deliveries.update({ ...row, lease: row.lease - 1 })
      }
      return true
    }),
  },
}
