import { type ClaimedDelivery, type ClaimRequest, iso, type Scope, type Tables } from '@quittance/core'
import { type AttemptRequest, verifySignature } from '@quittance/webhooks'
import type { Change } from '../invariants/book.ts'
import type { SimulatedProcess } from './process.ts'
import type { Behaviour } from './receivers.ts'
import type { Testimony } from './witness.ts'

/** An attempt on the wire. */
interface Sending {
  delivery: string
  lease: number
  /** What the receivers' clocks showed when it was signed. */
  began_ms: number
}

interface Claimed {
  delivery: string
  lease: number
  /** Whether its endpoint was enabled when this process last had a look at it. */
  listening: boolean
}

/** What is written down of an attempt: what was received, if anything, and when it ended. */
export interface Attempted {
  received(behaviour: Behaviour): void
  ended(): void
}

/** A process's clock is at most that far off, and a second is cut off in the signature. */
const most_skew_seconds = 6

/** The header names of the default brand. */
const event_header = 'Service-Event-Id'
const signature_header = 'Service-Signature'

/** Sees every lease, every attempt, and what receivers got. */
export class DeliveriesWitness {
  readonly #testimony: Testimony
  /** The signing secrets that were answered, by endpoint. */
  readonly secrets = new Map<string, string>()
  /** Who was ever registered with a URL. */
  readonly #owners = new Map<string, Scope & { id: string }>()
  /** The last lease of each delivery, by process, event and endpoint. */
  readonly #claims = new Map<string, Claimed>()
  /** What was leased ahead and not sent yet, by delivery and lease. */
  readonly #waiting = new Map<string, { process: string; scope: Scope; endpoint: string; claim: Claimed }>()
  /** How often a delivery was claimed that somebody had claimed before, by event and endpoint. */
  readonly #takeovers = new Map<string, number>()
  readonly #sending = new Set<Sending>()
  /** What is under way no more, by delivery and lease: the attempt ended, or the lease passed before it began. */
  readonly #ended = new Set<string>()
  /** The bytes of each event as they were first received, and how often each endpoint accepted them. */
  readonly #received = new Map<string, { body: string; accepted: Map<string, number> }>()

  constructor(testimony: Testimony) {
    this.#testimony = testimony
  }

  commits(process: SimulatedProcess, changes: readonly Change[]): void {
    const filed: Tables['deliveries'][] = []
    for (const { table, was, is } of changes) {
      if (table === 'webhook_endpoints' && is) this.#owners.set(is.url, is)
      if (table === 'deliveries' && was === undefined && is?.lease_until != null) filed.push(is)
      if (table === 'deliveries' && was?.lease_until != null && is?.lease_until === null && isUnsent(was, is))
        this.#testimony.saw('a delivery was given back unsent')
    }
    for (const delivery of filed) this.#leases(process, delivery)
    if (filed.length > 0) this.#checkLeases(iso(process.clock.real()), filed)
  }

  /** M35, M41: what is claimed is due, and goes to somebody who listened when it was claimed. */
  claims(
    process: SimulatedProcess,
    { at, real_at }: Pick<ClaimRequest, 'at' | 'real_at'>,
    claimed: readonly ClaimedDelivery[],
  ): void {
    for (const { delivery, endpoint, ahead } of claimed) {
      const { workspace, livemode, id, event, next_attempt_at } = delivery
      const was = this.#testimony.book.table({ workspace, livemode }, 'deliveries').get(id)
      if (was?.lease_until != null) {
        this.#testimony.saw('a delivery was taken over after its lease')
        const route = `${event} ${endpoint.id}`
        this.#takeovers.set(route, (this.#takeovers.get(route) ?? 0) + 1)
        if (was.lease_until > real_at) this.#testimony.report('M38', `${id} was claimed under a live lease`)
      }
      if (next_attempt_at === null || next_attempt_at > at)
        this.#testimony.report('M35', `${id} was claimed at ${at}, due at ${next_attempt_at}`)
      this.#testimony.book.commit({ workspace, livemode }, [{ table: 'deliveries', id, is: delivery }])
      this.#leases(process, delivery, ahead)
    }
    this.#checkLeases(
      real_at,
      claimed.map(({ delivery }) => delivery),
    )
  }

  /** A process has read rows of this scope: what it leased ahead there was asked about. */
  reads(process: SimulatedProcess, { workspace, livemode }: Scope): void {
    for (const { process: name, scope, endpoint, claim } of this.#waiting.values()) {
      if (name !== process.name || scope.workspace !== workspace || scope.livemode !== livemode) continue
      claim.listening = this.#isListening(scope, endpoint)
    }
  }

  #isListening(scope: Scope, endpoint: string): boolean {
    const row = this.#testimony.book.table(scope, 'webhook_endpoints').get(endpoint)
    return row?.listed === true && row.status === 'enabled'
  }

  /** Who has leased ahead has to have another look before it sends. */
  #leases(process: SimulatedProcess, delivery: Tables['deliveries'], ahead = false): void {
    const { endpoint, event, id, lease, workspace, livemode } = delivery
    const scope = { workspace, livemode }
    const claim = { delivery: id, lease, listening: !ahead && this.#isListening(scope, endpoint) }
    this.#claims.set(`${process.name} ${event} ${endpoint}`, claim)
    if (!ahead) return
    this.#waiting.set(nameOf(claim), { process: process.name, scope, endpoint, claim })
    this.#testimony.saw('a delivery was leased ahead')
  }

  /** The clocks are about to go back: a lease that has passed by then is over, also where they show it live again. */
  endLeases(scopes: readonly Scope[]): void {
    const real_at = iso(this.#testimony.timeline.real_ms)
    const sent = new Set([...this.#sending].map(nameOf))
    for (const scope of scopes) {
      for (const { id, lease, lease_until } of this.#testimony.book.table(scope, 'deliveries').values()) {
        const name = nameOf({ delivery: id, lease })
        if (lease_until !== null && lease_until <= real_at && !sent.has(name)) this.#ended.add(name)
      }
    }
  }

  /**
   * M38: no more than ten of a workspace under live leases whose attempts have not ended, over all processes, but for what
   * waits for the places of those.
   */
  #checkLeases(real_at: string, leased: readonly Scope[]): void {
    for (const workspace of new Set(leased.map((one) => one.workspace))) {
      let live = 0
      for (const livemode of [false, true]) {
        for (const { id, status, lease, lease_until } of this.#testimony.book
          .table({ workspace, livemode }, 'deliveries')
          .values()) {
          const is_live = status === 'pending' && lease_until !== null && lease_until > real_at
          const name = nameOf({ delivery: id, lease })
          if (is_live && !this.#ended.has(name) && !this.#waiting.has(name)) live += 1
        }
      }
      if (live > 10) this.#testimony.report('M38', `${live} deliveries of one workspace are under way`)
      if (live === 10) this.#testimony.saw('ten deliveries of a workspace were under way')
    }
  }

  /** M32, M38, M41: an attempt begins under the lease of its claim, with the bytes that were filed. */
  sending(process: SimulatedProcess, request: AttemptRequest): Attempted {
    const event = request.headers[event_header] ?? ''
    const owner = this.#owners.get(request.url)
    const claim = this.#claims.get(`${process.name} ${event} ${owner?.id}`)
    if (owner === undefined || claim === undefined) {
      this.#testimony.report('M38', `${event} is sent to ${request.url} and was not claimed`)
      return { received() {}, ended() {} }
    }
    if (!claim.listening)
      this.#testimony.report(
        'M41',
        `${event} is sent to ${owner.id}, which did not listen when its process looked`,
      )
    if (this.#waiting.delete(nameOf(claim))) {
      this.#testimony.saw('a delivery took the place of another')
      this.#checkLeases(iso(process.clock.real()), [owner])
    }
    const filed = this.#testimony.book.table(owner, 'events').get(event)
    if (filed?.body !== String(request.body))
      this.#testimony.report('M32', `${event} is sent with other bytes than were filed`)
    for (const other of this.#sending) {
      if (other.delivery === claim.delivery && other.lease === claim.lease)
        this.#testimony.report('M38', `${claim.delivery} is attempted twice under one lease`)
    }
    const sending = {
      delivery: claim.delivery,
      lease: claim.lease,
      began_ms: this.#testimony.timeline.real_ms,
    }
    this.#sending.add(sending)
    this.#testimony.trace.note(() => `  ${process.name} sends ${event} to ${owner.id}`)
    return {
      received: (behaviour) => this.#receives(request, behaviour, { endpoint: owner.id, event, sending }),
      ended: () => {
        this.#sending.delete(sending)
        this.#ended.add(nameOf(sending))
      },
    }
  }

  /** M32, M37, M50: what is received is signed, with the time of its sending, and carries the same bytes each time. */
  #receives(
    { headers, body }: AttemptRequest,
    { response_status, error }: Behaviour,
    { endpoint, event, sending }: { endpoint: string; event: string; sending: Sending },
  ): void {
    const text = String(body)
    const known = this.#received.get(event) ?? { body: text, accepted: new Map<string, number>() }
    this.#received.set(event, known)
    if (known.body !== text)
      this.#testimony.report('M32', `${event} was received with other bytes than before`)
    const secret = this.secrets.get(endpoint)
    if (secret !== undefined) {
      const at = { now: Math.floor(sending.began_ms / 1000), toleranceSeconds: most_skew_seconds }
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

  /** M37: at rest, what is succeeded was received; and twice only where a delivery was taken over. */
  checkRest(scope: Scope): void {
    const { report, book } = this.#testimony
    const deliveries = [...book.table(scope, 'deliveries').values()]
    for (const [route, those] of Map.groupBy(deliveries, ({ event, endpoint }) => `${event} ${endpoint}`)) {
      const [{ event, endpoint } = { event: '', endpoint: '' }] = those
      const accepted = this.#received.get(event)?.accepted.get(endpoint) ?? 0
      const succeeded = those.filter(({ status }) => status === 'succeeded').length
      const canceled = those.filter(({ status }) => status === 'canceled').length
      if (those.some(({ status }) => status === 'pending'))
        report('M53', `${event} is still on its way to ${endpoint}`)
      if (accepted < succeeded) report('M37', `${endpoint} took ${event} ${accepted} times, not ${succeeded}`)
      if (accepted > succeeded + canceled + (this.#takeovers.get(route) ?? 0))
        report('M37', `${endpoint} took ${event} ${accepted} times, for ${succeeded} deliveries`)
    }
  }
}

const nameOf = ({ delivery, lease }: Pick<Sending, 'delivery' | 'lease'>) => `${delivery} ${lease}`

const isUnsent = (was: Tables['deliveries'], is: Tables['deliveries']) =>
  is.status === 'pending' && is.attempt_count === was.attempt_count
