import { type Attempt, delivery_lease_ms, type LeaseAhead, type LeasedDelivery } from '@quittance/core'

/** As much is leased ahead as should be sent within this time. */
export const ahead_ms = 250

/** The most that is leased ahead for each attempt. */
const most_rounds = 39

interface Line {
  readonly waiting: Set<LeasedDelivery>
  /** Attempts that have ended since the lease: in their places, as many of these may be sent. */
  places: number
}

/**
 * Deliveries that were leased ahead. Each waits for an attempt to its own endpoint to end and takes its place. So no more
 * are on the wire than claims have found room for, and an endpoint that becomes slow takes no place of another.
 */
export class Lines {
  /** By endpoint; no line is empty. */
  readonly #lines = new Map<string, Line>()
  /** By endpoint, how many attempts have left a place since the last claim that nothing waits for, and the slowest's time. */
  readonly #free = new Map<string, Omit<LeaseAhead, 'rounds'> & { count: number; slowest_ms: number }>()
  /** When the last claim began, by the real clock: leases that were over by then took no place in it. */
  #asked_ms = 0

  isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** Adds what the last claim has leased ahead, which gets the places of attempts that have ended since the claim began. */
  add(deliveries: readonly LeasedDelivery[]): void {
    for (const delivery of deliveries) {
      const name = nameOf(delivery)
      const line = this.#lines.get(name) ?? { waiting: new Set(), places: 0 }
      this.#lines.set(name, line)
      line.waiting.add(delivery)
      const free = this.#free.get(name)
      if (free === undefined) continue
      line.places += 1
      free.count -= 1
      if (free.count === 0) this.#free.delete(name)
    }
  }

  /** Notes the place of an attempt that has just ended. False if another delivery may have been given the place already. */
  leavePlace(delivery: LeasedDelivery, { started_at, ended_at }: Attempt, now_ms: number): boolean {
    const until_ms = Date.parse(delivery.lease_until)
    // Its lease was over when the last claim began, or the clock was set back since the lease.
    if (until_ms <= this.#asked_ms || until_ms > now_ms + delivery_lease_ms) return false
    const name = nameOf(delivery)
    const line = this.#lines.get(name)
    if (line !== undefined && line.places < line.waiting.size) {
      line.places += 1
      return true
    }
    const { workspace, livemode, endpoint } = delivery
    const took_ms = Date.parse(ended_at) - Date.parse(started_at)
    const before = this.#free.get(name) ?? { count: 0, slowest_ms: 1 }
    const slowest_ms = Math.max(took_ms, before.slowest_ms)
    this.#free.set(name, { workspace, livemode, endpoint, count: before.count + 1, slowest_ms })
    return true
  }

  /** Whether attempts have ended in whose places nothing waits to be sent. */
  get hasFreePlaces(): boolean {
    return this.#free.size > 0
  }

  /** For a slow claim: attempts are then recorded before the claim looks, so that it may hand out their places itself. */
  forgetPlaces(): void {
    this.#free.clear()
    for (const line of this.#lines.values()) line.places = 0
  }

  /** Removes and returns up to `limit` deliveries that have a place. */
  next(limit: number): LeasedDelivery[] {
    const next: LeasedDelivery[] = []
    for (const line of this.#lines.values()) {
      for (const delivery of line.waiting) {
        if (line.places === 0 || next.length === limit) break
        line.places -= 1
        next.push(delivery)
      }
    }
    return this.remove(next)
  }

  removeAll(): LeasedDelivery[] {
    const all = [...this.#lines.values()].flatMap(({ waiting }) => [...waiting])
    this.#lines.clear()
    return all
  }

  /** Removes and returns those that wait for the same endpoint as this one did. */
  removeBehind(delivery: LeasedDelivery): LeasedDelivery[] {
    const line = this.#lines.get(nameOf(delivery))
    this.#lines.delete(nameOf(delivery))
    return [...(line?.waiting ?? [])]
  }

  /** Removes these, and returns those of them that were waiting. */
  remove(deliveries: readonly LeasedDelivery[]): LeasedDelivery[] {
    return deliveries.filter((delivery) => {
      const line = this.#lines.get(nameOf(delivery))
      const was_waiting = line?.waiting.delete(delivery) ?? false
      if (line?.waiting.size === 0) this.#lines.delete(nameOf(delivery))
      return was_waiting
    })
  }

  /** Hands the free places to a claim that begins at `now_ms`, by the real clock: it leases ahead where attempts were quick. */
  beginClaim(now_ms: number): LeaseAhead[] {
    this.#asked_ms = now_ms
    const free = [...this.#free.values()]
    this.#free.clear()
    return free.flatMap(({ slowest_ms, count: _, ...endpoint }) => {
      const rounds = Math.min(most_rounds, Math.floor(ahead_ms / slowest_ms))
      return rounds > 0 ? [{ ...endpoint, rounds }] : []
    })
  }
}

/** Ids are unique within a scope only. */
const nameOf = ({ workspace, livemode, endpoint }: LeasedDelivery) => `${workspace} ${livemode} ${endpoint}`
