import { delivery_lease_ms, type LeasedDelivery } from '@quittance/core'
import { longest_attempt_ms } from '../sender/sender.ts'
import { ahead_ms, type Lines } from './lines.ts'
import { Releases, type ReleasesOptions } from './releases.ts'

/** After this time, what was leased ahead and not sent is released: its endpoint has become slow. */
export const release_after_ms = 2 * ahead_ms

/**
 * A lease older than this is not used at once: its COMMIT, or the response to its claim, was slow. The endpoint may have been
 * disabled since, and whoever did so was told that nothing was on the wire.
 */
const prompt_ms = 1_000

/** How long a delivery that this process cannot send is held, so that claims get past all such deliveries to others. */
const hold_ms = 5_000

interface LeasedOptions extends ReleasesOptions {
  lines: Lines
  send: (delivery: LeasedDelivery) => void
  /** Called when deliveries came too late to be sent: the next ones may, too. */
  onLate: () => void
  /** Called when the store cannot be asked whether endpoints have changed. */
  onFault: (fault: unknown) => void
}

/**
 * What a dispatcher has leased and not sent. A fresh lease is used at once; before any other is used, the store is asked
 * whether the endpoint has changed. Leased ahead: waiting -> (an attempt has ended) being checked -> sent; or released, if
 * the endpoint was changed or has become slow, or the dispatcher stops. A delivery that this process cannot send is held for
 * a while, then released for a process that has the right secret.
 */
export class Leased {
  readonly #options: LeasedOptions
  readonly #releases: Releases
  readonly #lines: Lines
  /** Deliveries whose endpoints are being checked in the store; neither sent nor released yet. */
  readonly #checking = new Set<LeasedDelivery>()
  /** Deliveries that this process cannot send. */
  #held: LeasedDelivery[] = []
  #isStopping = false

  constructor(options: LeasedOptions) {
    this.#options = options
    this.#lines = options.lines
    this.#releases = new Releases(options)
  }

  /** How many deliveries are being checked. */
  get checking(): number {
    return this.#checking.size
  }

  /** Nothing waits, and nothing is being released. */
  isQuiet(): boolean {
    return this.#lines.isEmpty() && this.#releases.isQuiet()
  }

  /** What a claim or a commit has leased. */
  accept(leased: readonly LeasedDelivery[]): void {
    const now_ms = this.#options.engine.clock.real()
    const { prompt, old, ahead } = Object.groupBy(this.#sendable(leased), (delivery) => {
      if (delivery.ahead) return 'ahead'
      return ageOf(delivery, now_ms) <= prompt_ms ? 'prompt' : 'old'
    })
    for (const delivery of prompt ?? []) this.#options.send(delivery)
    void this.#sendUnchanged(old ?? [])
    this.#lineUp(ahead ?? [])
    this.#releaseHeld((delivery) => ageOf(delivery, now_ms) >= hold_ms)
  }

  /** Holds a delivery that this process cannot send. */
  hold(delivery: LeasedDelivery): void {
    this.#held.push(delivery)
    if (this.#isStopping) this.#releaseHeld(() => true)
  }

  /** Sends up to `limit` of the deliveries leased ahead that have a place. */
  async sendNext(limit: number): Promise<void> {
    await this.#sendUnchanged(this.#lines.next(limit))
  }

  stop(): void {
    this.#isStopping = true
    this.#releases.stop()
    void this.#releases.release(this.#lines.removeAll())
    this.#releaseHeld(() => true)
  }

  /** Returns the deliveries to send, and releases the others, which cancels those of disabled endpoints. */
  #sendable(leased: readonly LeasedDelivery[]): LeasedDelivery[] {
    const { clock, logger } = this.#options.engine
    const late = new Set(leased.filter((delivery) => !maySend(delivery, clock.real())))
    if (late.size > 0) {
      const message = 'deliveries are not sent: their leases could expire before their attempts end'
      logger.warn(message, { count: late.size })
      this.#options.onLate()
    }
    const isSent = (delivery: LeasedDelivery) => !delivery.stopped && !late.has(delivery)
    void this.#releases.release(leased.filter((delivery) => !isSent(delivery)))
    return leased.filter(isSent)
  }

  /** Called just after a claim, or when stopping: other processes may claim these before this one's next claim. */
  #releaseHeld(isOver: (delivery: LeasedDelivery) => boolean): void {
    const over = new Set(this.#held.filter(isOver))
    this.#held = this.#held.filter((delivery) => !over.has(delivery))
    void this.#releases.release([...over], false)
  }

  /** What is leased ahead waits until attempts to its endpoints end. */
  #lineUp(ahead: readonly LeasedDelivery[]): void {
    if (ahead.length === 0) return
    this.#lines.add(ahead)
    if (this.#isStopping) this.#withdraw(ahead)
    else this.#options.engine.clock.after(release_after_ms, () => this.#withdraw(ahead))
  }

  /** Sends these unless their endpoints were changed: no attempt begins once an endpoint is disabled. */
  async #sendUnchanged(next: readonly LeasedDelivery[]): Promise<void> {
    if (next.length === 0) return
    for (const delivery of next) this.#checking.add(delivery)
    const same = new Set(await this.#unchanged(next))
    const checked = next.filter((delivery) => this.#checking.delete(delivery))
    const isSent = (delivery: LeasedDelivery) => same.has(delivery) && !this.#isStopping
    for (const delivery of this.#sendable(checked.filter(isSent))) this.#options.send(delivery)
    const changed = checked.filter((delivery) => !isSent(delivery))
    const behind = changed.flatMap((delivery) => this.#lines.removeBehind(delivery))
    await this.#releases.release([...changed, ...behind])
  }

  async #unchanged(deliveries: readonly LeasedDelivery[]): Promise<LeasedDelivery[]> {
    const { engine, onFault } = this.#options
    try {
      return await engine.deliveries.unchanged(deliveries)
    } catch (fault) {
      onFault(fault)
      return []
    }
  }

  /** Releases those that still wait or are being checked: when the check ends, another dispatcher may have them. */
  #withdraw(ahead: readonly LeasedDelivery[]): void {
    const checking = ahead.filter((delivery) => this.#checking.delete(delivery))
    void this.#releases.release([...checking, ...this.#lines.remove(ahead)])
  }
}

/** Whether its lease outlasts the longest possible attempt. False if the clock was set back since the lease. */
function maySend(delivery: LeasedDelivery, now_ms: number): boolean {
  const age_ms = ageOf(delivery, now_ms)
  return age_ms >= 0 && age_ms < delivery_lease_ms - longest_attempt_ms
}

/** How long it has been leased, by the real clock. */
function ageOf({ lease_until }: LeasedDelivery, now_ms: number): number {
  return now_ms - (Date.parse(lease_until) - delivery_lease_ms)
}
