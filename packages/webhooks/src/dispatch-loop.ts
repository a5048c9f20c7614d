import { setImmediate } from 'node:timers'
import type { BookedSlots, Engine, SendableDelivery } from '@quittance/core'
import { Ahead, give_back_after_ms } from './ahead.ts'
import { isInTime, makeAttempt } from './make-attempt.ts'
import { Outage } from './outage.ts'
import { Outcomes } from './outcomes.ts'
import type { DeliveryQueue } from './queue.ts'
import type { Sender } from './sender.ts'

export interface DispatchLoopOptions {
  engine: Engine
  queue: DeliveryQueue
  sender: Sender
  /** The most attempts on the wire at a time. As many again may have ended and wait to be recorded. */
  concurrency: number
  /** The longest it sleeps before it sweeps for deliveries that nothing woke it for. */
  poll_ms: number
}

/**
 * How long finished attempts wait at most for those still on the wire, so that one commit records them all and one
 * claim fills their slots. A delivery that was just filed never waits for it.
 */
const gather_ms = 2

/** While it is idle a claim leaves a fifth of the slots to what is filed meanwhile. */
const spare_share = 5

/** So many attempts may still be on the wire or unrecorded: with two, a tenth fewer payments were made under load. */
const most_when_idle = 1

/**
 * Keeps the slots full: asleep -> (woken by a commit, a finished attempt, the next due time or the sweep)
 * passing -> asleep; stopping -> stopped. If it is woken during a pass, however often, one more pass follows.
 */
export class DispatchLoop {
  readonly #options: DispatchLoopOptions
  readonly #outcomes: Outcomes
  readonly #outage: Outage
  readonly #stopped = Promise.withResolvers<void>()
  readonly #ahead = new Ahead()
  #drains: PromiseWithResolvers<void>[] = []
  #on_the_wire = 0
  /** Leased ahead, and asked about before they are sent; given back, and not committed yet. */
  #asking = 0
  #returning = 0
  /** Slots that wait for a claim that is under way, and for commits. */
  #claiming = 0
  #booked = 0
  #isPassing = false
  #isWoken = false
  /** Since the last claim something may have become due, or a place free that nothing waits for. */
  #mayClaim = false
  /** When the last claim looked for what is due, in engine time. */
  #looked_at_ms = 0
  /** The last claim found nothing that can be sent. */
  #isDrained = false
  /** The last claim left nothing that could be sent. */
  #isCaughtUp = false
  /** Slots are free, but too many outcomes wait to be recorded. */
  #isHeldUp = false
  /** The last claim failed: no claims until the backoff is over. */
  #isResting = false
  #isStopping = false
  /** While it is asleep: cancels the timer that would wake it. */
  #cancelSleep: (() => void) | undefined
  #cancelGather: (() => void) | undefined

  constructor(options: DispatchLoopOptions) {
    this.#options = options
    const { engine, queue } = options
    this.#outcomes = new Outcomes({ engine, queue, onSettled: (how) => this.#settled(how) })
    this.#outage = new Outage(engine.logger, 'claiming deliveries')
  }

  wake(): void {
    this.#mayClaim = true
    this.#turn()
  }

  #turn(): void {
    this.#isWoken = true
    if (this.#isPassing) return
    this.#isPassing = true
    this.#cancelSleep?.()
    this.#cancelSleep = undefined
    // One turn of the event loop later, so that responses that arrive together are recorded together.
    setImmediate(() => void this.#run())
  }

  /** Keeps slots free for what a unit of work is filing. Null unless it is idle: under load one claim takes several. */
  book(count: number): BookedSlots | null {
    if (!this.#isIdle() || this.#slots() < count) return null
    this.#booked += count
    const release = () => {
      this.#booked -= count
      this.wake()
    }
    return {
      release,
      send: (deliveries) => {
        this.#booked -= count
        this.#send(deliveries)
        if (this.#isQuiet()) this.wake()
      },
    }
  }

  /** Resolves when nothing is left to claim and all sent is recorded, or when stopped; rejects if a claim fails. */
  drain(): Promise<void> {
    if (this.#isStopping) return this.#stopped.promise
    const drain = Promise.withResolvers<void>()
    this.#drains.push(drain)
    this.wake()
    return drain.promise
  }

  /**
   * Stops claiming, and resolves once all that it has booked is sent, the attempts have ended and are recorded, and what it
   * had leased ahead is given back.
   */
  stop(): Promise<void> {
    this.#isStopping = true
    void this.#giveBack(this.#ahead.waiting())
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

  /** What has ended and what waited for that need not wait for a claim that is under way. */
  #gathered(): void {
    if (this.#isPassing) setImmediate(() => this.#advance())
    this.#turn()
  }

  /**
   * Records finished attempts, and sends what waited for their places. What ends during a claim is recorded after it, so
   * that the claim has counted its place.
   */
  #advance(): void {
    this.#cancelGather?.()
    this.#cancelGather = undefined
    if (this.#claiming === 0) void this.#outcomes.record()
    void this.#sendUnchanged(this.#ahead.next(this.#slots()))
  }

  /**
   * Advances and claims at the same time, so that a store can commit both together, and waits for the claim only: its
   * leases run, and attempts that have ended take no place. One more pass follows if more may be left: nothing that the claim
   * gave was sent, or it took all that it was allowed to.
   */
  async #pass(): Promise<void> {
    this.#advance()
    const slots = this.#slots()
    const limit = this.#isIdle() ? slots - Math.floor(slots / spare_share) : slots
    if (limit === 0) this.#isDrained = false
    if (limit === 0 || !this.#mayClaim) return
    const claimed = await this.#claim(limit)
    const taken = claimed.filter(({ ahead }) => !ahead)
    this.#send(taken)
    this.#keep(claimed.filter(({ ahead }) => ahead))
    const may_have_left = limit < slots && taken.length === limit
    if (claimed.length > 0 && (may_have_left || this.#isQuiet())) this.wake()
    this.#isDrained = !this.#isResting && claimed.length === 0
    this.#isCaughtUp = !this.#isResting && taken.length < limit
  }

  /**
   * What was recorded at once leaves nothing that the claim beside it has not seen. After a while leases are over, and what
   * was given up is due again.
   */
  #settled(how: 'at once' | 'late'): void {
    if (how === 'late' || this.#isHeldUp) this.wake()
    else if (!this.#isPassing && this.#isQuiet()) void this.#fallAsleep()
  }

  #slots(): number {
    if (this.#isStopping || this.#isResting) return 0
    const { concurrency } = this.#options
    const too_many = Math.max(0, this.#outcomes.unrecorded.size - concurrency)
    this.#isHeldUp = too_many > 0
    return Math.max(0, concurrency - this.#onTheWay() - this.#claiming - this.#booked - too_many)
  }

  async #claim(limit: number): Promise<SendableDelivery[]> {
    this.#mayClaim = false
    this.#looked_at_ms = this.#options.engine.clock.now()
    this.#claiming = limit
    try {
      const own = { ended: [...this.#outcomes.unrecorded], ahead: this.#ahead.wanted() }
      const claimed = await this.#options.queue.claim(limit, own)
      this.#outage.worked()
      return claimed
    } catch (fault) {
      this.#rest(this.#outage.failed(fault))
      for (const drain of this.#drains.splice(0)) drain.reject(fault)
      return []
    } finally {
      this.#claiming = 0
    }
  }

  #rest(backoff_ms: number): void {
    this.#isResting = true
    this.#options.engine.clock.after(backoff_ms, () => {
      this.#isResting = false
      this.wake()
    })
  }

  #send(leased: readonly SendableDelivery[]): void {
    for (const delivery of leased) if (isInTime(this.#options.engine, delivery)) void this.#attempt(delivery)
  }

  /** Until attempts to their endpoints have ended. */
  #keep(ahead: SendableDelivery[]): void {
    if (ahead.length === 0) return
    this.#ahead.add(ahead)
    if (this.#isStopping) void this.#giveBack(ahead)
    else this.#options.engine.clock.after(give_back_after_ms, () => void this.#giveBack(ahead))
  }

  /** Sends what has waited, unless its endpoint was changed meanwhile: no attempt begins once that is disabled. */
  async #sendUnchanged(waited: readonly SendableDelivery[]): Promise<void> {
    if (waited.length === 0) return
    this.#asking += waited.length
    const same = new Set(await this.#unchanged(waited))
    this.#asking -= waited.length
    if (!this.#isStopping) this.#send([...same])
    const changed = waited.filter((delivery) => this.#isStopping || !same.has(delivery))
    const behind = changed.flatMap((delivery) => this.#ahead.remove(this.#ahead.waiting(delivery)))
    await this.#return([...changed, ...behind])
  }

  async #unchanged(deliveries: readonly SendableDelivery[]): Promise<SendableDelivery[]> {
    try {
      return await this.#options.engine.deliveries.unchanged(deliveries)
    } catch (fault) {
      this.#rest(this.#outage.failed(fault))
      return []
    }
  }

  /** Those of them that still wait. */
  #giveBack(ahead: readonly SendableDelivery[]): Promise<void> {
    return this.#return(this.#ahead.remove(ahead))
  }

  async #return(unsent: readonly SendableDelivery[]): Promise<void> {
    if (unsent.length === 0) return
    this.#returning += 1
    try {
      await this.#options.queue.release(unsent)
    } catch (fault) {
      const fields = { count: unsent.length, fault: String(fault) }
      this.#options.engine.logger.warn(
        'deliveries were not given back and wait until their leases are over',
        fields,
      )
    }
    this.#returning -= 1
    this.wake()
  }

  async #attempt(delivery: SendableDelivery): Promise<void> {
    const { engine, sender } = this.#options
    this.#on_the_wire += 1
    const attempt = await makeAttempt(engine, sender, delivery)
    this.#on_the_wire -= 1
    this.#outcomes.add(attempt)
    if (!this.#ahead.ended(attempt)) this.#mayClaim = true
    if (this.#onTheWay() === 0) this.#gathered()
    else this.#cancelGather ??= engine.clock.after(gather_ms, () => this.#gathered())
  }

  /** Until something wakes it, the next delivery is due, or it is time for the sweep. */
  async #fallAsleep(): Promise<void> {
    const { poll_ms } = this.#options
    if (this.#isStopping) {
      if (!this.#isQuiet()) return
      this.#stopped.resolve()
      this.#endDrains()
      return
    }
    const sleep = this.#sleep(poll_ms)
    // Running attempts wake it when they end, and so does the backoff.
    if (!this.#isQuiet() || this.#isResting) return
    const delay_ms = await this.#untilDue()
    if (this.#cancelSleep !== sleep) return
    if (delay_ms < poll_ms) this.#sleep(delay_ms)
    if (this.#isDrained && this.#isQuiet()) this.#endDrains()
  }

  #sleep(delay_ms: number): () => void {
    this.#cancelSleep?.()
    this.#cancelSleep = this.#options.engine.clock.after(delay_ms, () => this.wake())
    return this.#cancelSleep
  }

  #endDrains(): void {
    for (const drain of this.#drains.splice(0)) drain.resolve()
  }

  async #untilDue(): Promise<number> {
    const { engine, queue, poll_ms } = this.#options
    try {
      const due_at = await queue.nextDueAt()
      const due_ms = due_at === null ? null : Date.parse(due_at)
      // Due at the last claim but not taken: under another lease, or its workspace has ten leases.
      if (due_ms === null || due_ms <= this.#looked_at_ms) return poll_ms
      return Math.max(0, due_ms - engine.clock.now())
    } catch {
      return poll_ms
    }
  }

  #isIdle(): boolean {
    return this.#isCaughtUp && this.#ahead.isEmpty() && this.#underWay() <= most_when_idle
  }

  #isQuiet(): boolean {
    return this.#ahead.isEmpty() && this.#underWay() + this.#booked + this.#returning === 0
  }

  #onTheWay(): number {
    return this.#on_the_wire + this.#asking
  }

  /** Attempts that are on the wire, or about to be, or not recorded yet. */
  #underWay(): number {
    return this.#onTheWay() + this.#outcomes.unrecorded.size
  }
}
