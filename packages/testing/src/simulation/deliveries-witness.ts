import type { Scope } from '@quittance/core'
import { type AttemptRequest, verifySignature } from '@quittance/webhooks'
import type { Change } from '../invariants/book.ts'
import type { LeasesWitness } from './leases-witness.ts'
import type { SimulatedProcess } from './process.ts'
import type { Behaviour } from './receivers.ts'
import type { Testimony } from './testimony.ts'

/** Records of an attempt what was received, if anything, and when it ended. */
interface Attempted {
  received(behaviour: Behaviour): void
  ended(): void
}

/** A process's clock is at most 5 seconds off, and the signature's time is cut to whole seconds. */
const most_skew_seconds = 6

/** The header names of the default brand. */
const event_header = 'Service-Event-Id'
const signature_header = 'Service-Signature'

/** Sees every attempt, and what receivers got. */
export class DeliveriesWitness {
  readonly #testimony: Testimony
  readonly #leases: LeasesWitness
  /** The signing secrets in responses, by endpoint. */
  readonly secrets = new Map<string, string>()
  /** The endpoint that was registered with each URL. */
  readonly #owners = new Map<string, Scope & { id: string }>()
  /** The bytes of each event as they were first received, and how often each endpoint accepted them. */
  readonly #received = new Map<string, { body: string; accepted: Map<string, number> }>()

  constructor(testimony: Testimony, leases: LeasesWitness) {
    this.#testimony = testimony
    this.#leases = leases
  }

  commits(changes: readonly Change[]): void {
    for (const { table, is } of changes) if (table === 'webhook_endpoints' && is) this.#owners.set(is.url, is)
  }

  /** M32, M38, M41: an attempt begins under a lease of its process, with the bytes that were filed. */
  sending(process: SimulatedProcess, request: AttemptRequest): Attempted {
    const { report, book, timeline, trace } = this.#testimony
    const event = request.headers[event_header] ?? ''
    const owner = this.#owners.get(request.url)
    const leased = owner && this.#leases.begins(process, event, owner)
    if (owner === undefined || leased === undefined) {
      report('M38', `${event} is sent to ${request.url} and was not claimed`)
      return { received() {}, ended() {} }
    }
    if (!leased.listening)
      report('M41', `${event} is sent to ${owner.id}, which did not listen when its process looked`)
    if (book.table(owner, 'events').get(event)?.body !== String(request.body))
      report('M32', `${event} is sent with other bytes than were filed`)
    const began_ms = timeline.real_ms
    trace.note(() => `  ${process.name} sends ${event} to ${owner.id}`)
    return {
      received: (behaviour) => this.#receives(request, behaviour, { endpoint: owner.id, event, began_ms }),
      ended: () => this.#leases.ended(leased),
    }
  }

  /** M32, M37, M50: a delivery is signed, with the time of sending, and has the same bytes each time. */
  #receives(
    { headers, body }: AttemptRequest,
    { response_status, error }: Behaviour,
    { endpoint, event, began_ms }: { endpoint: string; event: string; began_ms: number },
  ): void {
    const text = String(body)
    const known = this.#received.get(event) ?? { body: text, accepted: new Map<string, number>() }
    this.#received.set(event, known)
    if (known.body !== text)
      this.#testimony.report('M32', `${event} was received with other bytes than before`)
    const secret = this.secrets.get(endpoint)
    if (secret !== undefined) {
      const at = { now: Math.floor(began_ms / 1000), toleranceSeconds: most_skew_seconds }
      const verified = verifySignature(text, headers[signature_header], secret, at)
      if (verified.isErr())
        this.#testimony.report('M37', `${event} was received with a bad signature: ${verified.error}`)
    }
    if (error === null) {
      const times = (known.accepted.get(endpoint) ?? 0) + 1
      known.accepted.set(endpoint, times)
      if (times === 2) this.#testimony.saw('an event was delivered twice')
    }
    this.#testimony.trace.note(
      () => `  ${endpoint} receives ${event} and answers ${response_status ?? error}`,
    )
  }

  /** M37: at rest, every succeeded delivery was received, and twice only if it was taken over. */
  checkRest(scope: Scope): void {
    const { report, book } = this.#testimony
    const deliveries = [...book.table(scope, 'deliveries').values()]
    for (const those of Map.groupBy(deliveries, ({ event, endpoint }) => `${event} ${endpoint}`).values()) {
      const [{ event, endpoint } = { event: '', endpoint: '' }] = those
      const accepted = this.#received.get(event)?.accepted.get(endpoint) ?? 0
      const succeeded = those.filter(({ status }) => status === 'succeeded').length
      const canceled = those.filter(({ status }) => status === 'canceled').length
      if (those.some(({ status }) => status === 'pending'))
        report('M53', `${event} is still on its way to ${endpoint}`)
      if (accepted < succeeded) report('M37', `${endpoint} took ${event} ${accepted} times, not ${succeeded}`)
      if (accepted > succeeded + canceled + this.#leases.takeovers({ event, endpoint }))
        report('M37', `${endpoint} took ${event} ${accepted} times, for ${succeeded} deliveries`)
    }
  }
}
