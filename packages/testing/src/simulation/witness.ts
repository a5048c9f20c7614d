import type {
  Answer,
  ChargeRequest,
  ClaimedDelivery,
  ClaimRequest,
  OperationName,
  RefundRequest,
  Scope,
} from '@quittance/core'
import { type AttemptRequest, verifySignature } from '@quittance/webhooks'
import { Book, type Write } from '../invariants/book.ts'
import { checkCommit } from '../invariants/commit.ts'
import type { Violation } from '../invariants/moment.ts'
import type { Bank } from './bank.ts'
import { addCounters, type Counters, type Situation } from './counters.ts'
import { noticeCommit } from './notice.ts'
import type { SimulatedProcess } from './process.ts'
import type { Behaviour } from './receivers.ts'
import type { Timeline } from './timeline.ts'
import { type Trace, toldOf } from './trace.ts'

/** An attempt on the wire. */
interface Sending {
  delivery: string
  lease: number
  /** What the receivers' clocks showed when it was signed. */
  began_ms: number
}

/** What is written down of an attempt: what was received, if anything, and when it ended. */
export interface Attempted {
  received(behaviour: Behaviour): void
  ended(): void
}

interface Asking {
  operation: OperationName
  key: string | undefined
  text: string
}

/** A process's clock is at most that far off, and a second is cut off in the signature. */
const most_skew_seconds = 6

/** The header names of the default brand. */
const event_header = 'Service-Event-Id'
const signature_header = 'Service-Signature'

/** Sees all that goes through the ports of all processes, keeps the books, and says at once what does not hold. */
export class Witness {
  readonly book = new Book()
  readonly violations: Violation[] = []
  readonly counters: Counters = {}
  readonly #timeline: Timeline
  readonly #trace: Trace
  /** The signing secrets that were answered, by endpoint. */
  readonly secrets = new Map<string, string>()
  /** Who was ever registered with a URL. */
  readonly #owners = new Map<string, Scope & { id: string }>()
  /** The last claim of each delivery, by process, event and endpoint. */
  readonly #claims = new Map<
    string,
    { delivery: string; workspace: string; lease: number; listening: boolean }
  >()
  /** What was answered first under each key that is remembered. */
  readonly #answers = new Map<string, { fingerprint: string; status: number; body: string }>()
  #requests = 0
  readonly #sending = new Set<Sending>()
  /** The bytes of each event as they were first received, and how often each endpoint accepted them. */
  readonly #received = new Map<string, { body: string; accepted: Map<string, number> }>()

  constructor(timeline: Timeline, trace: Trace) {
    this.#timeline = timeline
    this.#trace = trace
  }

  readonly report = (invariant: Violation['invariant'], detail: string): void => {
    this.violations.push({ invariant, detail })
    this.#trace.note(() => `!! ${invariant}: ${detail}`)
  }

  readonly saw = (situation: Situation): void => {
    addCounters(this.counters, { [situation]: 1 })
  }

  commits(
    process: SimulatedProcess,
    { scope, now, writes }: { scope: Scope; now: string; writes: readonly Write[] },
  ) {
    const changes = this.book.commit(scope, writes)
    const commit = { ...scope, book: this.book, changes, now, clock_was_set: this.#timeline.was_set }
    checkCommit(commit, this.report)
    noticeCommit(commit, this.saw)
    for (const change of changes) {
      if (change.table === 'webhook_endpoints' && change.is) this.#owners.set(change.is.url, change.is)
      if (change.table === 'idempotency_keys' && !change.is) this.#answers.delete(keyed(scope, change.id))
    }
    this.#trace.note(() => `  ${process.name} commits ${changes.map(toldOf).join(', ')}`)
  }

  /** M35, M41: what is claimed is due, and goes to somebody who listened when it was claimed. */
  claims(
    process: SimulatedProcess,
    { at, real_at }: ClaimRequest,
    claimed: readonly ClaimedDelivery[],
  ): void {
    for (const { delivery, endpoint } of claimed) {
      const { workspace, livemode, id, event, lease, next_attempt_at } = delivery
      const was = this.book.table({ workspace, livemode }, 'deliveries').get(id)
      if (was?.lease_until != null) {
        this.saw('a delivery was taken over after its lease')
        if (was.lease_until > real_at) this.report('M38', `${id} was claimed under a live lease`)
      }
      if (next_attempt_at === null || next_attempt_at > at)
        this.report('M35', `${id} was claimed at ${at}, due at ${next_attempt_at}`)
      this.book.commit({ workspace, livemode }, [{ table: 'deliveries', id, is: delivery }])
      const row = this.book.table({ workspace, livemode }, 'webhook_endpoints').get(endpoint.id)
      const listening = row?.listed === true && row.status === 'enabled'
      this.#claims.set(`${process.name} ${event} ${endpoint.id}`, {
        delivery: id,
        workspace,
        lease,
        listening,
      })
    }
    this.#checkLeases(real_at, claimed)
  }

  /** M38: no more than ten of a workspace under live leases, over all processes. */
  #checkLeases(real_at: string, claimed: readonly ClaimedDelivery[]): void {
    for (const workspace of new Set(claimed.map(({ delivery }) => delivery.workspace))) {
      let live = 0
      for (const livemode of [false, true]) {
        for (const { status, lease_until } of this.book
          .table({ workspace, livemode }, 'deliveries')
          .values()) {
          if (status === 'pending' && lease_until !== null && lease_until > real_at) live += 1
        }
      }
      if (live > 10) this.report('M38', `${live} deliveries of one workspace are leased`)
      if (live === 10) this.saw('ten deliveries of a workspace were under way')
    }
  }

  /** M4, M5, M47: money is asked for only what is durable, with its amount, in its environment. */
  charging(bank: Bank, request: ChargeRequest): void {
    const payment = this.#named(request.key, 'payments')
    if (payment === undefined) {
      this.report('M4', `${request.key} is charged and there is no such payment`)
      return
    }
    if (payment.livemode !== bank.livemode)
      this.report('M47', `${payment.id} is charged in the other environment`)
    if (payment.amount !== request.amount || payment.currency !== request.currency)
      this.report(
        'M5',
        `${payment.id} is charged ${request.amount} ${request.currency}, not ${payment.amount}`,
      )
    if (payment.status !== null) {
      const fenced = payment.evidence === 'not_found'
      this.saw(
        fenced
          ? 'a charge arrived after its key was fenced off'
          : 'a charge arrived after its request had given up',
      )
    }
  }

  refunding(bank: Bank, request: RefundRequest): void {
    const refund = this.#named(request.key, 'refunds')
    if (refund === undefined) {
      this.report('M15', `${request.key} is refunded and there is no such refund`)
      return
    }
    if (refund.livemode !== bank.livemode)
      this.report('M47', `${refund.id} is refunded in the other environment`)
    if (refund.amount !== request.amount || refund.currency !== request.currency)
      this.report(
        'M15',
        `${refund.id} is refunded with ${request.amount} ${request.currency}, not ${refund.amount}`,
      )
  }

  #named<Name extends 'payments' | 'refunds'>(key: string, table: Name) {
    const [workspace = '', id = ''] = key.split('.')
    const livemode = id.includes('_live_')
    return this.book.table({ workspace, livemode }, table).get(id)
  }

  /** M32, M38, M41: an attempt begins under the lease of its claim, with the bytes that were filed. */
  sending(process: SimulatedProcess, request: AttemptRequest): Attempted {
    const event = request.headers[event_header] ?? ''
    const owner = this.#owners.get(request.url)
    const claim = this.#claims.get(`${process.name} ${event} ${owner?.id}`)
    if (owner === undefined || claim === undefined) {
      this.report('M38', `${event} is sent to ${request.url} and was not claimed`)
      return { received() {}, ended() {} }
    }
    if (!claim.listening)
      this.report('M41', `${event} is sent to ${owner.id}, which did not listen when it was claimed`)
    const filed = this.book.table(owner, 'events').get(event)
    if (filed?.body !== String(request.body))
      this.report('M32', `${event} is sent with other bytes than were filed`)
    for (const other of this.#sending) {
      if (other.delivery === claim.delivery && other.lease === claim.lease)
        this.report('M38', `${claim.delivery} is attempted twice under one lease`)
    }
    const sending = { delivery: claim.delivery, lease: claim.lease, began_ms: this.#timeline.shown_ms }
    this.#sending.add(sending)
    this.#trace.note(() => `  ${process.name} sends ${event} to ${owner.id}`)
    return {
      received: (behaviour) => this.#receives(request, behaviour, { endpoint: owner.id, event, sending }),
      ended: () => this.#sending.delete(sending),
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
    if (known.body !== text) this.report('M32', `${event} was received with other bytes than before`)
    const secret = this.secrets.get(endpoint)
    if (secret !== undefined) {
      const at = { now: Math.floor(sending.began_ms / 1000), toleranceSeconds: most_skew_seconds }
      const verified = verifySignature(text, headers[signature_header], secret, at)
      if (verified.isErr())
        this.report('M37', `${event} was received with a bad signature: ${verified.error}`)
    }
    if (error === null) {
      const times = (known.accepted.get(endpoint) ?? 0) + 1
      known.accepted.set(endpoint, times)
      if (times === 2) this.saw('an event was delivered twice')
    }
    this.#trace.note(() => `  ${endpoint} receives ${event} and answers ${response_status ?? error}`)
  }

  /** M37: whether a receiver got an event and said so. */
  hasReceived(event: string, endpoint: string): boolean {
    return this.#received.get(event)?.accepted.has(endpoint) ?? false
  }

  /** A request on its way, and what must hold of its answer. */
  asking(scope: Scope, { operation, key, text }: Asking) {
    this.#requests += 1
    const request_id = `req_${String(this.#requests).padStart(24, '0')}`
    const fingerprint = `${operation} ${text}`
    const rowOf = () => (key === undefined ? undefined : this.book.table(scope, 'idempotency_keys').get(key))
    const before = rowOf()
    const answered = (answer: Answer) => {
      if (key === undefined) return
      const row = rowOf()
      const anothers =
        before !== undefined && before.request_id === row?.request_id && before.fingerprint !== fingerprint
      if (anothers && answer.code !== 'idempotency_key_reused')
        this.report('M43', `${key} is another request's and was answered ${answer.status} ${answer.code}`)
      this.#answered(keyed(scope, key), fingerprint, answer)
    }
    return { request_id, fingerprint, answered }
  }

  /** M42: what was answered under a key is answered again, byte for byte, as long as the key is remembered. */
  #answered(key: string, fingerprint: string, answer: Answer): void {
    if (answer.code === 'idempotency_key_reused') {
      this.saw('a key was reused for another request')
      return
    }
    if (answer.code === 'idempotency_key_in_flight') {
      this.saw('a key was in flight')
      return
    }
    if (answer.replayed) this.saw('an answer was replayed')
    const first = this.#answers.get(key)
    if (first === undefined) {
      this.#answers.set(key, { fingerprint, status: answer.status, body: answer.body })
      return
    }
    if (first.fingerprint !== fingerprint) {
      this.report('M43', `two requests were answered under ${key}`)
      return
    }
    if (first.status !== answer.status || first.body !== answer.body)
      this.report(
        'M42',
        `${key} answered ${first.status} ${first.body} and then ${answer.status} ${answer.body}`,
      )
  }

  hears(message: string): void {
    const situation = heard[message]
    if (situation !== undefined) this.saw(situation)
  }
}

const heard: Readonly<Record<string, Situation>> = {
  'a delivery lease was lost': 'a delivery lease was lost',
  'claiming deliveries fails': 'claiming deliveries failed',
  'recording attempts fails': 'attempts could not be recorded at first',
}

function keyed({ workspace, livemode }: Scope, key: string): string {
  return `${workspace} ${livemode} ${key}`
}
