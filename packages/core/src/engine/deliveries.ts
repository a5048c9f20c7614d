import type { Attempt } from '../deliveries/delivery-machine.ts'
import { type EndedLease, recordAttempts } from '../deliveries/record-attempts.ts'
import type { ClaimedDelivery, ClaimRequest, Scope } from '../ports/store.ts'
import { iso } from '../schema/timestamps.ts'
import { addTo } from './add-to.ts'
import { type OpenSecret, openSecrets } from './open-secrets.ts'
import { notifyPaused } from './reconcile/notify-paused.ts'
import type { Services } from './services.ts'
import type { Book, Booking } from './unit-of-work/booking.ts'
import { leasing } from './unit-of-work/outbox.ts'
import { write } from './unit-of-work/unit-of-work.ts'

/** A delivery that this process has leased. */
export interface LeasedDelivery extends Scope {
  id: string
  event: string
  endpoint: string
  lease: number
  /** Real time until which nobody else sends it. */
  lease_until: string
  url: string
  /** The signing secret, in the clear. Null where it cannot be opened: the delivery is not sent, and released later. */
  secret: string | null
  body: string
  /** When its endpoint was last edited, disabled or paused: `unchanged` checks that it has not been since. */
  endpoint_changed_at: string
  /** Leased ahead: sent only when another attempt to its endpoint has ended, in that one's place. */
  ahead: boolean
  /** Its endpoint was disabled while a process that died held its lease: it is to be released, which cancels it. */
  stopped: boolean
}

/** An attempt that was made under a lease. */
export interface FinishedAttempt extends EndedLease {
  attempt: Attempt
}

/** A delivery that was leased and not sent. */
export type Unsent = EndedLease['delivery']

export type ClaimTerms = Partial<Pick<ClaimRequest, 'ended' | 'ahead'>>

/** What a dispatcher asks of the engine. */
export interface Deliveries {
  /**
   * Leases up to `limit` due deliveries, ten at a time per workspace and its endpoints in turn. Attempts that have
   * `ended` take no place in their workspace, though they are not recorded yet. Of endpoints in `ahead` it leases more:
   * they come last in the answer and wait for the places of the others.
   */
  claim(limit: number, own?: ClaimTerms): Promise<LeasedDelivery[]>
  /**
   * Those whose endpoints have not changed since they were leased. The caller releases the others: their endpoints may
   * have been disabled.
   */
  unchanged(deliveries: readonly LeasedDelivery[]): Promise<LeasedDelivery[]>
  /** Commits the outcomes of attempts. One whose lease has passed on changes nothing. */
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
  giveFiled(book: (count: number) => BookedSlots | null): () => void
}

/** One of the two is called, once. */
export interface BookedSlots {
  /** What is committed now stays so if this throws: that is only logged. */
  send(deliveries: readonly LeasedDelivery[]): void
  /** Nothing was committed or leased. */
  release(): void
}

export function createDeliveries(
  services: Services,
  { wakers, bookers }: { wakers: Set<() => void>; bookers: Set<Book> },
): Deliveries {
  wakers.add(() => services.store.announceDeliveries())
  const secretOf = openSecrets(services)
  return {
    claim: (limit, { ended = [], ahead = [] } = {}) =>
      claim(services, secretOf, { limit, ended, ahead: services.store.leases_ahead ? ahead : [] }),
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
    giveFiled: (book) => addTo(bookers, (filed) => bookFor(services, { secretOf, filed, book })),
  }
}

interface ToGive {
  secretOf: OpenSecret
  filed: readonly ClaimedDelivery[]
  book: Parameters<Deliveries['giveFiled']>[0]
}

function bookFor(services: Services, { secretOf, filed, book }: ToGive): Booking | null {
  if (filed.some(({ endpoint }) => secretOf(endpoint) === null)) return null
  try {
    const slots = book(filed.length)
    return (
      slots && {
        release: () => void tell(services, () => slots.release()),
        send: (leased, lease_until) =>
          void tell(services, () => slots.send(leased.map((one) => toLeased(one, lease_until, secretOf)))),
      }
    )
  } catch (fault) {
    services.logger.error('giving deliveries failed', { fault: String(fault) })
    return null
  }
}

async function tell({ logger }: Services, listener: () => unknown): Promise<void> {
  try {
    await listener()
  } catch (fault) {
    logger.error('announcing deliveries failed', { fault: String(fault) })
  }
}

async function claim(
  services: Services,
  secretOf: OpenSecret,
  asked: Pick<ClaimRequest, 'limit' | 'ended' | 'ahead'>,
): Promise<LeasedDelivery[]> {
  const at = iso(services.clock.now())
  const lease = leasing(services.clock.real())
  const claimed = await services.store.claimDeliveries({ at, ...lease, ...asked })
  return claimed.map((one) => toLeased(one, lease.lease_until, secretOf))
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

function toLeased(
  { delivery, endpoint, ...claimed }: ClaimedDelivery,
  lease_until: string,
  secretOf: OpenSecret,
): LeasedDelivery {
  const { workspace, livemode, id, event, lease } = delivery
  const { url, changed_at: endpoint_changed_at } = endpoint
  const stopped = delivery.stopped || endpoint.status === 'disabled'
  const to = { endpoint: endpoint.id, url, secret: secretOf(endpoint), endpoint_changed_at }
  return { workspace, livemode, id, event, lease, lease_until, stopped, ...to, ...claimed }
}
