import {
  type Caller,
  type Clock,
  createEngine,
  type Engine,
  type FinishedAttempt,
  iso,
  type LeasedDelivery,
  memoryStore,
  type Store,
  shifted,
  systemClock,
} from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import type { DeliveryQueue, OpenQueue } from '@quittance/webhooks'
import { onTestFinished } from 'vitest'
import { accepted } from '../builders/requests.ts'
import { shop_urls } from '../builders/sales.ts'
import { seed } from '../store/opened.ts'
import { sampleRow } from '../store/sample-row.ts'

/** A workspace that has endpoints and files events. */
interface Merchant {
  workspace: string
  /** Each at an address of its own. */
  endpoint(): Promise<string>
  /** What the merchant was told of an endpoint, and has changed since. */
  told(endpoint: string): Told
  move(endpoint: string): Promise<void>
  disable(endpoint: string): Promise<void>
  /** Files `count` events and a delivery of each to `endpoint`, due at once; resolves to the events' ids. */
  file(endpoint: string, count?: number): Promise<string[]>
  /** Files one event that goes to all endpoints, in one commit. */
  announce(): Promise<void>
  /** What the merchant is shown of an event's only delivery. */
  shown(event: string): Promise<unknown>
}

interface Told {
  url: string
  secret: string
}

interface Queues {
  queue: DeliveryQueue
  /** One more queue in the same process: it hears what the first hears. */
  beside(): DeliveryQueue
  /** One more queue, over a second engine on the same store, as in another process; by default with the same secret. */
  another(secret?: string): DeliveryQueue
  /** Default: in the sandbox. */
  merchant(livemode?: boolean): Promise<Merchant>
  /** Until the store is brought back, every claim, unit of work and query of due times fails. */
  lose(): void
  bringBack(): void
  /** Does what the store does when it hears that another process has filed deliveries. */
  hearOfOthers(): void
  /** The deliveries whose endpoints have not changed since the claim. */
  unchanged(deliveries: readonly LeasedDelivery[]): Promise<LeasedDelivery[]>
  /** Moves engine time and real time ahead. */
  pass(elapsed_ms: number): void
  /** Engine time. */
  now(): string
  /** Real time, by which leases run: moving the sandbox's clock must not change them. */
  real(): string
}

/** How long a lease lives: what the port calls `delivery_lease_ms`. */
export const lease_ms = 30_000

/** How far the sandbox's clock was moved. */
const ahead_ms = 7 * 24 * 60 * 60_000

export async function openQueues(open: OpenQueue): Promise<Queues> {
  const { store, lose, bringBack, hearOfOthers } = losableStore()
  let now_ms = Date.parse('2026-01-31T12:00:00.000Z')
  const clock: Clock = { now: () => now_ms + ahead_ms, real: () => now_ms, after: systemClock.after }
  const engineOn = (secret = 'the secret of a queue under test') =>
    createEngine({
      store,
      clock,
      secret,
      processors: { sandbox: simulatedProcessor() },
      publicUrl: 'https://pay.example.com',
    })
  const openOn = (engine: Engine) => {
    const queue = open(engine)
    onTestFinished(() => queue.close())
    return queue
  }
  // Filing happens in a process whose wake-ups the queue hears.
  const engine = engineOn()
  await engine.migrate()
  let filed = 0
  return {
    queue: openOn(engine),
    beside: () => openOn(engine),
    another: (secret) => openOn(engineOn(secret)),
    lose,
    bringBack,
    hearOfOthers,
    unchanged: (deliveries) => engine.deliveries.unchanged(deliveries),
    async merchant(livemode = false) {
      const { id: workspace } = await engine.admin.workspaces.create({ name: 'Merchant' })
      const scope = { workspace, livemode }
      const caller = await engine.caller(scope)
      return {
        workspace,
        ...endpointsOf(engine, caller),
        async file(endpoint, count = 1) {
          const ids = Array.from({ length: count }, (_, index) => eventId(filed + index))
          filed += count
          const rows = ids.map(
            (id) => ['events', sampleRow('events', scope, id, { body: bodyOf(id) })] as const,
          )
          await seed(store, scope, rows)
          for (const id of ids) accepted(await engine.events.resend(caller, { id, endpoint }))
          return ids
        },
        announce: () => announce(engine, caller),
        async shown(event) {
          return accepted(await engine.events.retrieve(caller, { id: event })).deliveries[0]
        },
      }
    },
    pass(elapsed_ms) {
      now_ms += elapsed_ms
    },
    now: () => iso(now_ms + ahead_ms),
    real: () => iso(now_ms),
  }
}

/** Queues, and a merchant with one endpoint, to which everything is filed. */
export async function withEndpoint(open: OpenQueue, livemode = false) {
  const queues = await openQueues(open)
  const merchant = await queues.merchant(livemode)
  const to = await merchant.endpoint()
  return { ...queues, ...merchant, to, file: (count?: number) => merchant.file(to, count) }
}

function endpointsOf(
  engine: Engine,
  caller: Caller,
): Pick<Merchant, 'endpoint' | 'told' | 'move' | 'disable'> {
  const all = new Map<string, Told>()
  const told = (endpoint: string) => {
    const known = all.get(endpoint)
    if (known === undefined) throw new Error('the merchant has no such endpoint')
    return known
  }
  return {
    async endpoint() {
      const url = `https://hooks.example.com/hook-${all.size}`
      const input = { url, enabled_events: ['*' as const] }
      const { id, secret } = accepted(await engine.webhook_endpoints.create(caller, input))
      all.set(id, { url, secret })
      return id
    },
    told,
    async move(endpoint) {
      const url = `${told(endpoint).url}/moved`
      accepted(await engine.webhook_endpoints.update(caller, { id: endpoint, url }))
      all.set(endpoint, { ...told(endpoint), url })
    },
    async disable(endpoint) {
      accepted(await engine.webhook_endpoints.update(caller, { id: endpoint, status: 'disabled' }))
    },
  }
}

function losableStore(): { store: Store } & Pick<Queues, 'lose' | 'bringBack' | 'hearOfOthers'> {
  const rows = memoryStore()
  let isAway = false
  const waiting = new Set<() => void>()
  const fault = () => Promise.reject(new Error('the store is away'))
  return {
    store: {
      ...rows,
      transaction: (scope, work) => rows.transaction(scope, isAway ? fault : work),
      claimDeliveries: (request) => (isAway ? fault() : rows.claimDeliveries(request)),
      nextDue: (after) => (isAway ? fault() : rows.nextDue(after)),
      onDeliveriesElsewhere(wake) {
        const own = () => wake()
        waiting.add(own)
        return () => void waiting.delete(own)
      },
    },
    hearOfOthers() {
      for (const wake of waiting) wake()
    },
    lose() {
      isAway = true
    },
    bringBack() {
      isAway = false
    },
  }
}

/** Counts how often a queue wakes its dispatcher. */
export function listenTo(queue: DeliveryQueue): { wakes(): number; leave(): void } {
  let wakes = 0
  const leave = queue.onReady(() => {
    wakes += 1
  })
  return { wakes: () => wakes, leave }
}

/** In the order in which they were filed. */
const eventId = (number: number) => `evt_test_${String(number).padStart(5, '0')}`

/** In a form that no serializer produces, so that a body that was parsed and serialized again is noticed. */
export function bodyOf(event: string): string {
  const body = { object: 'event', id: event, type: 'payment.succeeded', data: { object: { name: 'Zoë' } } }
  return `${JSON.stringify(body)} `
}

/** The outcome of an attempt that ended at `at`: a `200`, or the failure that `error` names. */
export function finished(delivery: LeasedDelivery, at: string, error: string | null = null): FinishedAttempt {
  const response_status = error === null ? 200 : null
  return { delivery, attempt: { started_at: shifted(at, -500), ended_at: at, response_status, error } }
}

export const eventsOf = (claimed: readonly LeasedDelivery[]) => claimed.map(({ event }) => event)

async function announce(engine: Engine, caller: Caller): Promise<void> {
  const page = { amount: 1000, currency: 'USD' as const, ...shop_urls }
  const { id } = accepted(await engine.checkout_sessions.create(caller, page))
  accepted(await engine.checkout_sessions.expire(caller, { id }))
}
