import type { Attempt } from '../deliveries/delivery-machine.ts'
import { type EndedLease, recordAttempts } from '../deliveries/record-attempts.ts'
import { inWords } from '../kernel/in-words.ts'
import type { ClaimRequest } from '../ports/store.ts'
import { iso } from '../schema/timestamps.ts'
import { addTo } from './add-to.ts'
import { type LeasedDelivery, leasing, toLeased } from './leased-delivery.ts'
import { notifyPaused } from './reconcile/notify-paused.ts'
import type { Services } from './services.ts'
import type { Book, BookedSlots } from './unit-of-work/booked-slots.ts'
import { write } from './unit-of-work/unit-of-work.ts'

/** An attempt that was made under a lease. */
export interface FinishedAttempt extends EndedLease {
  attempt: Attempt
}

/** A delivery that was leased and not sent. */
export type Unsent = EndedLease['delivery']

export type ClaimTerms = Partial<Pick<ClaimRequest, 'ended' | 'ahead'>>

/** What a dispatcher uses of the engine. */
export interface Deliveries {
  /**
   * Leases up to `limit` due deliveries: at most ten at a time per workspace, whose endpoints take turns. Attempts that
   * have `ended` take no place in their workspace, though they are not recorded yet. For endpoints in `ahead` it leases
   * more: these come last in the result and wait for the places of the others.
   */
  claim(limit: number, own?: ClaimTerms): Promise<LeasedDelivery[]>
  /**
   * The deliveries whose endpoints have not changed since the lease. The caller releases the others: their endpoints may
   * have been disabled.
   */
  unchanged(deliveries: readonly LeasedDelivery[]): Promise<LeasedDelivery[]>
  /** Commits the outcomes of attempts. An attempt whose lease has passed on changes nothing. */
  record(attempts: readonly FinishedAttempt[]): Promise<void>
  /** Ends leases without an attempt: others may claim these deliveries, unless their endpoints were disabled. */
  release(leases: readonly Unsent[]): Promise<void>
  /** When the next pending delivery falls due, in engine time; null when none is pending. */
  nextDueAt(): Promise<string | null>
  /**
   * Calls `wake` after every commit of this engine that filed deliveries for somebody to claim, until the returned
   * function is called. What was committed stays accepted if `wake` throws or rejects: that is only logged.
   */
  onFiled(wake: () => void): () => void
  /** The same for deliveries filed by other processes, if the store hears of them. */
  onFiledElsewhere(wake: () => void): () => void
  /**
   * Offers a dispatcher of this process what this engine files: the commit that files deliveries also leases them, so
   * nobody has to claim them or be woken. `book(count)` keeps that many slots free, or gives null if the dispatcher would
   * not send them at once. Holds until the returned function is called.
   */
  giveFiled(book: Book): () => void
}

export function createDeliveries(
  services: Services,
  { wakers, bookers }: { wakers: Set<() => void>; bookers: Set<Book> },
): Deliveries {
  wakers.add(() => services.store.announceDeliveries())
  return {
    claim: (limit, { ended = [], ahead = [] } = {}) => claim(services, { limit, ended, ahead }),
    unchanged: (deliveries) => unchanged(services, deliveries),
    release: (leases) =>
      recordAll(
        services,
        leases.map((delivery) => ({ delivery, attempt: null })),
      ),
    record: (attempts) => recordAll(services, attempts),
    nextDueAt: async () => (await services.store.nextDue(null)).delivery,
    onFiled: (wake) => addTo(wakers, () => void tell(services, wake)),
    onFiledElsewhere: (wake) => services.store.onDeliveriesElsewhere(wake),
    giveFiled: (book) => addTo(bookers, (count) => guardedSlots(services, book, count)),
  }
}

/** The slots that a dispatcher gives, if it gives any. Its faults are only logged. */
function guardedSlots(services: Services, book: Book, count: number): BookedSlots | null {
  try {
    const slots = book(count)
    return (
      slots && {
        release: () => void tell(services, () => slots.release()),
        send: (deliveries) => void tell(services, () => slots.send(deliveries)),
      }
    )
  } catch (fault) {
    services.logger.error('handing over deliveries failed', { fault: inWords(fault) })
    return null
  }
}

async function tell({ logger }: Services, listener: () => unknown): Promise<void> {
  try {
    await listener()
  } catch (fault) {
    logger.error('announcing deliveries failed', { fault: inWords(fault) })
  }
}

async function claim(
  services: Services,
  asked: Pick<ClaimRequest, 'limit' | 'ended' | 'ahead'>,
): Promise<LeasedDelivery[]> {
  const at = iso(services.clock.now())
  const lease = leasing(services.clock.real())
  const claimed = await services.store.claimDeliveries({ at, ...lease, ...asked })
  return claimed.map((one) => toLeased(one, lease.lease_until, services.secretOf))
}

async function unchanged(
  { store }: Services,
  deliveries: readonly LeasedDelivery[],
): Promise<LeasedDelivery[]> {
  const endpoints = Map.groupBy(
    deliveries,
    ({ workspace, livemode, endpoint }) => `${workspace} ${livemode} ${endpoint}`,
  )
  const same = [...endpoints.values()].map(async (of_endpoint) => {
    const [first] = of_endpoint
    const row = first && (await store.read(first, (rows) => rows.webhook_endpoints.get(first.endpoint)))
    return row?.status === 'enabled'
      ? of_endpoint.filter((claimed) => claimed.endpoint_changed_at === row.changed_at)
      : []
  })
  return (await Promise.all(same)).flat()
}

async function recordAll(services: Services, attempts: readonly EndedLease[]): Promise<void> {
  const scopes = Map.groupBy(attempts, ({ delivery }) => `${delivery.workspace} ${delivery.livemode}`)
  await Promise.all([...scopes.values()].map((of_scope) => recordScope(services, of_scope)))
}

async function recordScope(services: Services, attempts: readonly EndedLease[]): Promise<void> {
  const [first] = attempts
  if (!first) return
  const scope = { workspace: first.delivery.workspace, livemode: first.delivery.livemode }
  const { lost, paused } = await write(services, scope, (unit) => recordAttempts(unit, attempts))
  for (const delivery of lost) services.logger.warn('a delivery lease was lost', { delivery })
  for (const endpoint of paused) notifyPaused(services, endpoint)
}
