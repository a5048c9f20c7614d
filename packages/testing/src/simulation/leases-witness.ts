import { type ClaimedDelivery, type ClaimRequest, iso, type Scope, type Tables } from '@quittance/core'
import type { Change } from '../invariants/book.ts'
import { isListening } from '../invariants/deliveries.ts'
import type { SimulatedProcess } from './process.ts'
import type { Testimony } from './testimony.ts'

/** A lease that a process has: only that process sends the event to the endpoint, once. */
export interface Leased {
  delivery: string
  lease: number
  lease_until: string
  /** Whether its endpoint was enabled when it was leased or, if leased ahead, when its process looked again. */
  listening: boolean
  /** Whether an attempt began under it. */
  isSent: boolean
}

/** A delivery that was leased ahead and not sent yet. */
interface Waiting extends Scope {
  process: SimulatedProcess
  leased: Leased
  endpoint: string
  /** Whether its process has asked about its endpoint, and will read the answer. */
  isAsked: boolean
}

/** Sees which process has leased what, and how many attempts are under way. */
export class LeasesWitness {
  readonly #testimony: Testimony
  /** By process, event and endpoint: the leases not sent under yet, and the latest, in order. */
  readonly #leased = new Map<string, Leased[]>()
  readonly #waiting = new Map<string, Waiting>()
  /** Leases that are over, by delivery and lease: the attempt ended, or the lease ended before it began. */
  readonly #over = new Set<string>()
  /** How often a delivery was claimed again, by event and endpoint. */
  readonly #takeovers = new Map<string, number>()

  constructor(testimony: Testimony) {
    this.#testimony = testimony
  }

  takeovers({ event, endpoint }: Pick<Tables['deliveries'], 'event' | 'endpoint'>): number {
    return this.#takeovers.get(`${event} ${endpoint}`) ?? 0
  }

  commits(process: SimulatedProcess, changes: readonly Change[]): void {
    const filed: Tables['deliveries'][] = []
    for (const { table, was, is } of changes) {
      if (table !== 'deliveries' || is === undefined) continue
      if (was === undefined && is.lease_until !== null) filed.push(is)
      if (was?.lease_until != null && is.lease_until === null && isUnsent(was, is))
        this.#givesBack(process, is)
    }
    for (const delivery of filed) this.#leases(process, delivery)
    if (filed.length > 0) this.#check(iso(process.clock.real()), filed)
  }

  /** M35, M38: a claimed delivery is due, and under no live lease. */
  claims(
    process: SimulatedProcess,
    { at, real_at }: Pick<ClaimRequest, 'at' | 'real_at'>,
    claimed: readonly ClaimedDelivery[],
  ): void {
    const deliveries = claimed.map(({ delivery }) => delivery)
    // The clocks were set back after the claim began: leases that it correctly found over look live again.
    if (real_at > iso(process.clock.real())) this.ends(real_at)
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
    this.#check(real_at, deliveries)
  }

  /** A process asks whether endpoints are as they were when it leased ahead. */
  asks(deliveries: readonly { id: string; lease: number }[]): void {
    for (const { id, lease } of deliveries) {
      const waiting = this.#waiting.get(nameOf({ delivery: id, lease }))
      if (waiting) waiting.isAsked = true
    }
  }

  /** A process has read rows of this scope, including those that it asked about. */
  reads(process: SimulatedProcess, { workspace, livemode }: Scope): void {
    for (const one of this.#waiting.values()) {
      if (!one.isAsked || one.process !== process) continue
      if (one.workspace !== workspace || one.livemode !== livemode) continue
      one.leased.listening ||= this.#isListening(one, one.endpoint)
    }
  }

  /** For clocks that are set back: leases that have ended stay over, although they look live by the new time. */
  ends(real_at: string): void {
    for (const all of this.#leased.values())
      for (const leased of all) if (leased.lease_until <= real_at) this.#over.add(nameOf(leased))
  }

  /** M38: an attempt begins under the last lease of its process that it has not sent under. Undefined: it has none. */
  begins(
    process: SimulatedProcess,
    event: string,
    { id, ...scope }: Scope & { id: string },
  ): Leased | undefined {
    const all = this.#leased.get(routeOf(process, { event, endpoint: id })) ?? []
    const real_at = iso(process.clock.real())
    const leased = all.findLast(({ isSent, lease_until }) => !isSent && lease_until > real_at) ?? all.at(-1)
    if (leased === undefined) return undefined
    if (leased.isSent) this.#testimony.report('M38', `${leased.delivery} is attempted twice under one lease`)
    if (this.#waiting.delete(nameOf(leased))) {
      this.#testimony.saw('a delivery took the place of another')
      this.#check(real_at, [scope])
    }
    leased.isSent = true
    return leased
  }

  ended(leased: Leased): void {
    this.#over.add(nameOf(leased))
  }

  /** After leasing ahead, a process has to check the endpoint again before it sends. */
  #leases(process: SimulatedProcess, delivery: Tables['deliveries'], ahead = false): void {
    const { endpoint, id, lease, lease_until, workspace, livemode } = delivery
    if (lease_until === null) return
    const listening = !ahead && this.#isListening(delivery, endpoint)
    const leased: Leased = { delivery: id, lease, lease_until, listening, isSent: false }
    const route = routeOf(process, delivery)
    const unsent = (this.#leased.get(route) ?? []).filter(({ isSent }) => !isSent)
    this.#leased.set(route, [...unsent, leased])
    if (!ahead) return
    this.#waiting.set(nameOf(leased), { process, leased, endpoint, workspace, livemode, isAsked: false })
    this.#testimony.saw('a delivery was leased ahead')
  }

  #givesBack(process: SimulatedProcess, delivery: Tables['deliveries']): void {
    this.#testimony.saw('a delivery was given back unsent')
    const route = routeOf(process, delivery)
    const given_back = nameOf({ delivery: delivery.id, lease: delivery.lease })
    const kept = (this.#leased.get(route) ?? []).filter((one) => nameOf(one) !== given_back)
    this.#leased.set(route, kept)
  }

  #isListening({ workspace, livemode }: Scope, endpoint: string): boolean {
    const row = this.#testimony.book.table({ workspace, livemode }, 'webhook_endpoints').get(endpoint)
    return row !== undefined && isListening(row)
  }

  /**
   * M38: at most ten deliveries of a workspace, over all processes, are under live leases with attempts that have not ended,
   * not counting those that wait for a place.
   */
  #check(real_at: string, leased: readonly Scope[]): void {
    for (const workspace of new Set(leased.map((one) => one.workspace))) {
      let live = 0
      for (const livemode of [false, true]) {
        for (const { id, status, lease, lease_until } of this.#testimony.book
          .table({ workspace, livemode }, 'deliveries')
          .values()) {
          const is_live = status === 'pending' && lease_until !== null && lease_until > real_at
          const name = nameOf({ delivery: id, lease })
          if (is_live && !this.#over.has(name) && !this.#waiting.has(name)) live += 1
        }
      }
      if (live > 10) this.#testimony.report('M38', `${live} deliveries of one workspace are under way`)
      if (live === 10) this.#testimony.saw('ten deliveries of a workspace were under way')
    }
  }
}

const nameOf = ({ delivery, lease }: Pick<Leased, 'delivery' | 'lease'>) => `${delivery} ${lease}`

const routeOf = (
  { name }: SimulatedProcess,
  { event, endpoint }: Pick<Tables['deliveries'], 'event' | 'endpoint'>,
) => `${name} ${event} ${endpoint}`

const isUnsent = (was: Tables['deliveries'], is: Tables['deliveries']) =>
  is.status === 'pending' && is.attempt_count === was.attempt_count
