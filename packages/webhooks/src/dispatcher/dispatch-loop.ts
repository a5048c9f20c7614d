import { setImmediate } from 'node:timers'
import type { BookedSlots, Engine, LeasedDelivery } from '@quittance/core'
import type { DeliveryQueue } from '../queue.ts'
import type { Sender } from '../sender/sender.ts'
import { Alarm } from './alarm.ts'
import { Claims } from './claims.ts'
import { Delay } from './delay.ts'
import { Drains } from './drains.ts'
import { Leased } from './leased.ts'
import { Lines } from './lines.ts'
import { makeAttempt } from './make-attempt.ts'
import { Outcomes } from './outcomes.ts'
import { Slots, withoutSpare } from './slots.ts'

interface DispatchLoopOptions {
  engine: Engine
  queue: DeliveryQueue
  sender: Sender
  /** The most attempts at a time. Eight times as many more may be slow, and eight times as many ended but not recorded yet. */
  concurrency: number
  /** The longest it sleeps before it sweeps for deliveries that nothing woke it for. */
  poll_ms: number
}

/** The longest that ended attempts wait for those on the wire, so that one claim, and one check of endpoints, serve them all. */
const gather_ms = 2

/** With no more attempts than this under way the loop is idle. With 2 here, a tenth fewer payments were made under load. */
const most_when_idle = 1

/**
 * Keeps the slots full: asleep -> (woken by a commit, a finished attempt, the next due time or the sweep)
 * passing -> asleep; stopping -> stopped. If it is woken during a pass, however often, one more pass follows.
 *
 * `Claims` asks for deliveries, and rests after faults. `Leased` holds them until they are sent, those leased ahead in `Lines`;
 * `Outcomes` holds their attempts until they are recorded; `Slots` counts both. `Alarm` ends the sleep. `Drains` holds the
 * callers of `drain`.
 */
export class DispatchLoop {
  readonly #options: DispatchLoopOptions
  readonly #outcomes: Outcomes
  readonly #claims: Claims
  readonly #stopped = Promise.withResolvers<void>()
  readonly #leased: Leased
  readonly #lines = new Lines()
  readonly #alarm: Alarm
  readonly #slots: Slots
  readonly #drains = new Drains()
  readonly #gathering: Delay
  #isPassing = false
  #isWoken = false
  /** Since the last claim a delivery may have become due or been released, or an attempt may have left a place unnoted. */
  #maybeClaimable = false
  /** The last claim may have left due deliveries: it took all that it was allowed to, or failed. */
  #leftSome = true
  #isStopping = false

  constructor(options: DispatchLoopOptions) {
    this.#options = options
    const { engine, queue, poll_ms, concurrency } = options
    this.#gathering = new Delay(engine.clock, gather_ms, () => this.#advanceSoon())
    this.#slots = new Slots({
      clock: engine.clock,
      concurrency,
      onSlow: () => this.wake(),
      checking: () => this.#leased.checking,
      unrecorded: () => this.#outcomes.unrecorded.size,
    })
    this.#alarm = new Alarm({ engine, queue, poll_ms, wake: () => this.wake() })
    this.#outcomes = new Outcomes({
      ...options,
      many: this.#slots.many_unrecorded,
      moreToCome: () => !this.#isClaimDue() && (this.#slots.sending > 0 || !this.#leased.isQuiet()),
      onRipe: () => this.#advanceSoon(),
      onSettled: (how, count) => this.#settled(how, count),
    })
    this.#claims = new Claims({
      ...options,
      onSlow: () => {
        this.#lines.forgetPlaces()
        void this.#outcomes.record()
      },
      onFault: (fault) => this.#drains.reject(fault),
      onRested: () => this.wake(),
    })
    this.#leased = new Leased({
      ...options,
      lines: this.#lines,
      send: (delivery) => void this.#attempt(delivery),
      onReleased: (isReady) => (isReady ? this.wake() : this.#requestPass()),
      onLate: () => this.#claims.restAfterLate(),
      onFault: (fault) => this.#claims.restAfter(fault),
    })
  }

  wake(): void {
    this.#maybeClaimable = true
    this.#requestPass()
  }

  #requestPass(): void {
    this.#isWoken = true
    if (this.#isPassing) return
    this.#isPassing = true
    this.#alarm.cancel()
    // One turn of the event loop later, so that responses that arrive together are recorded together.
    setImmediate(() => void this.#run())
  }

  /** Keeps slots free for what a unit of work files. Null unless the loop is idle: under load, one claim takes more at once. */
  book(count: number): BookedSlots | null {
    if (!this.#isIdle() || this.#free() < count) return null
    return this.#slots.book(count, {
      release: () => this.wake(),
      send: (deliveries) => {
        this.#leased.accept(deliveries)
        if (this.#isQuiet()) this.wake()
      },
    })
  }

  /** Resolves when nothing is left to claim and everything sent is recorded, or when stopped; rejects if a claim fails. */
  drain(): Promise<void> {
    if (this.#isStopping) return this.#stopped.promise
    this.wake()
    return this.#drains.wait()
  }

  /** Stops claiming. Resolves once attempts, those in booked slots too, are recorded and waiting deliveries are released. */
  stop(): Promise<void> {
    this.#isStopping = true
    this.#leased.stop()
    this.wake()
    return this.#stopped.promise
  }

  async #run(): Promise<void> {
    do {
      this.#isWoken = false
      await this.#pass()
    } while (this.#isWoken)
    this.#isPassing = false
    await this.#fallAsleep()
  }

  /** Advances in the next pass; also at once, beside the claim that a pass is waiting for. */
  #advanceSoon(): void {
    if (this.#isPassing) setImmediate(() => this.#advance())
    this.#requestPass()
  }

  /**
   * Records finished attempts, and sends what waited for their places. An attempt that ends during a claim is recorded after
   * the claim has counted its place; but if the claim is slow, then at once, because the claim may take longer than a lease.
   */
  #advance(): void {
    this.#gathering.end()
    if (this.#slots.claiming === 0 || this.#claims.isSlow) void this.#outcomes.record()
    void this.#leased.sendNext(this.#free())
  }

  /**
   * Advances and claims at the same time, so that a store can commit both together, and waits only for the claim: its leases
   * are running, and ended attempts take no place in it.
   */
  async #pass(): Promise<void> {
    this.#advance()
    const slots = this.#free()
    const limit = this.#isIdle() ? withoutSpare(slots) : slots
    if (limit === 0 || !this.#isClaimDue()) return
    const claimed = await this.#claim(limit)
    this.#leased.accept(claimed)
    const took_limit = claimed.filter(({ ahead }) => !ahead).length >= limit
    const needs_spare = took_limit && limit < slots
    const sent_nothing = claimed.length > 0 && this.#isQuiet()
    if (needs_spare || sent_nothing) this.wake()
    this.#leftSome = took_limit || this.#claims.isResting
  }

  /**
   * A recording that succeeds at once frees no place that the claim alongside has not counted, unless so many attempts were
   * unrecorded that they took slots. After a late or failed recording, leases may have ended: there may be something to claim.
   */
  #settled(how: 'at once' | 'late' | 'never', count: number): void {
    const held_up = this.#slots.heldUp(this.#outcomes.unrecorded.size + count)
    if (how !== 'at once' || held_up > 0) this.wake()
    else if (!this.#isPassing && this.#isQuiet()) void this.#fallAsleep()
  }

  #free(): number {
    return this.#isStopping || this.#claims.isResting ? 0 : this.#slots.free
  }

  async #claim(limit: number): Promise<LeasedDelivery[]> {
    const { clock } = this.#options.engine
    this.#maybeClaimable = false
    this.#alarm.looked_at_ms = clock.now()
    this.#slots.claiming = limit
    const ahead = this.#lines.beginClaim(clock.real())
    const claimed = await this.#claims.claim(limit, { ended: [...this.#outcomes.unrecorded], ahead })
    this.#slots.claiming = 0
    // Attempts that were recorded meanwhile may have left places that the claim did not see.
    if (this.#claims.isSlow) this.wake()
    return claimed
  }

  async #attempt(delivery: LeasedDelivery): Promise<void> {
    const end = this.#slots.occupy()
    const attempt = await makeAttempt(this.#options, delivery)
    end()
    if (attempt === null) {
      this.#leased.hold(delivery)
      return this.wake()
    }
    this.#outcomes.add({ delivery, attempt })
    const real_ms = this.#options.engine.clock.real()
    if (this.#claims.isSlow || !this.#lines.leavePlace(delivery, attempt, real_ms))
      this.#maybeClaimable = true
    if (this.#slots.sending === 0) this.#advanceSoon()
    else this.#gathering.begin()
  }

  /** Sleeps until something wakes it, the next delivery is due, or it is time for the sweep. */
  async #fallAsleep(): Promise<void> {
    if (this.#isStopping) {
      if (!this.#isQuiet()) return
      this.#stopped.resolve()
      this.#drains.resolve()
      return
    }
    this.#alarm.set()
    // Running attempts wake it when they end, and so does the backoff.
    if (!this.#isQuiet() || this.#claims.isResting) return
    const is_asleep = await this.#alarm.setForNextDue()
    if (is_asleep && !this.#leftSome && !this.#isClaimDue() && this.#isQuiet()) this.#drains.resolve()
  }

  #isClaimDue(): boolean {
    return this.#maybeClaimable || this.#lines.hasFreePlaces
  }

  #isIdle(): boolean {
    return !this.#leftSome && this.#leased.isQuiet() && this.#slots.under_way <= most_when_idle
  }

  #isQuiet(): boolean {
    return this.#leased.isQuiet() && this.#slots.isQuiet()
  }
}
