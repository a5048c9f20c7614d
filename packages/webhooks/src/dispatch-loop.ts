import type { Engine, SendableDelivery } from '@quittance/core'
import { makeAttempt } from './make-attempt.ts'
import { Outage } from './outage.ts'
import { Outcomes } from './outcomes.ts'
import type { DeliveryQueue } from './queue.ts'
import { longest_attempt_ms, type Sender } from './sender.ts'

export interface DispatchLoopOptions {
  engine: Engine
  queue: DeliveryQueue
  sender: Sender
  /** Attempts on the wire at a time. No more deliveries than that are ever in memory. */
  concurrency: number
  /** The longest it sleeps: when it looks for what it was not woken for. */
  poll_ms: number
}

/**
 * How long attempts that have ended wait for others, so that one commit takes them all: until they are as many
 * as those on the wire, or this long. Measured on SQLite, ten and fifty slots: half the commits, a fifth less CPU
 * and up to half as much again per second. What was just filed never waits for it.
 */
const gather_ms = 2

/**
 * Keeps the slots full: asleep -> (woken by a commit, a finished attempt, the next due time or the sweep)
 * passing -> asleep; stopping -> stopped. However often it is woken during a pass, one more follows.
 */
export class DispatchLoop {
  readonly #options: DispatchLoopOptions
  readonly #outcomes: Outcomes
  readonly #outage: Outage
  readonly #stopped = Promise.withResolvers<void>()
  #drains: PromiseWithResolvers<void>[] = []
  #on_the_wire = 0
  #isPassing = false
  #isWoken = false
  /** No claims for a moment: the last one failed. */
  #isResting = false
  #isStopping = false
  #cancelSweep = () => {}
  #cancelGather: (() => void) | undefined

  constructor(options: DispatchLoopOptions) {
    this.#options = options
    const { clock, logger } = options.engine
    const { queue } = options
    this.#outcomes = new Outcomes({ queue, clock, logger, onSettled: () => this.wake() })
    this.#outage = new Outage(logger, 'claiming deliveries')
  }

  wake(): void {
    this.#isWoken = true
    if (this.#isPassing) return
    this.#isPassing = true
    // A turn of the event loop later, so that responses that came together are recorded together.
    setImmediate(() => void this.#run())
  }

  /** Resolves when nothing is left to claim and all that was sent is recorded; rejects when a claim fails. */
  drain(): Promise<void> {
    if (this.#isStopping) return this.#stopped.promise
    const drain = Promise.withResolvers<void>()
    this.#drains.push(drain)
    this.wake()
    return drain.promise
  }

  /** Claims no more, and resolves once what is on the wire has ended and is recorded. */
  stop(): Promise<void> {
    this.#isStopping = true
    this.wake()
    return this.#stopped.promise
  }

  async #run(): Promise<void> {
    this.#cancelSweep()
    let drained: boolean
    do {
      this.#isWoken = false
      this.#cancelGather?.()
      this.#cancelGather = undefined
      drained = await this.#pass()
      if (!this.#isWoken && !this.#isStopping) await this.#sleep()
    } while (this.#isWoken)
    this.#isPassing = false
    const stopped = this.#isStopping && this.#isQuiet()
    if (stopped) this.#stopped.resolve()
    if (drained || stopped) for (const drain of this.#drains.splice(0)) drain.resolve()
  }

  /**
   * Both at once, so that a store can commit them together: what has finished is recorded and the slots it
   * left are filled. What was claimed is sent at once, for its lease runs, and a recording can have to wait. A claim
   * that ran ahead of the recording may have missed the room this makes in a workspace, and is repeated. Answers
   * whether there was nothing to do at all.
   */
  async #pass(): Promise<boolean> {
    const limit = this.#room()
    const recording = this.#outcomes.record()
    const claimed = await this.#claim(limit)
    for (const delivery of claimed) if (this.#isInTime(delivery)) void this.#send(delivery)
    const recorded = await recording
    if (recorded > 0 && claimed.length < limit) this.#isWoken = true
    return limit > 0 && !this.#isResting && this.#isQuiet()
  }

  #room(): number {
    if (this.#isStopping || this.#isResting) return 0
    return Math.max(0, this.#options.concurrency - this.#on_the_wire - this.#outcomes.retrying)
  }

  async #claim(limit: number): Promise<SendableDelivery[]> {
    if (limit === 0) return []
    try {
      const claimed = await this.#options.queue.claim(limit)
      this.#outage.worked()
      return claimed
    } catch (fault) {
      this.#rest(this.#outage.failed(fault))
      for (const drain of this.#drains.splice(0)) drain.reject(fault)
      return []
    }
  }

  /** Whether its lease outlives an attempt that takes as long as one can. Else somebody sends it once the lease is over. */
  #isInTime({ id, lease_until }: SendableDelivery): boolean {
    const { clock, logger } = this.#options.engine
    const in_time = Date.parse(lease_until) - clock.real() > longest_attempt_ms
    if (!in_time) logger.warn('a delivery was claimed too slowly to be sent', { delivery: id })
    return in_time
  }

  #rest(backoff_ms: number): void {
    this.#isResting = true
    this.#options.engine.clock.after(backoff_ms, () => {
      this.#isResting = false
      this.wake()
    })
  }

  async #send(delivery: SendableDelivery): Promise<void> {
    const { engine, sender } = this.#options
    this.#on_the_wire += 1
    const attempt = await makeAttempt(engine, sender, delivery)
    this.#on_the_wire -= 1
    this.#outcomes.add(attempt)
    if (this.#outcomes.finished >= this.#on_the_wire) this.wake()
    else this.#cancelGather ??= engine.clock.after(gather_ms, () => this.wake())
  }

  /** Sets the time of the next pass, should nothing wake it before. */
  async #sleep(): Promise<void> {
    const { engine, poll_ms } = this.#options
    // While attempts run, each wakes it at its end; the next due time is asked for in the quiet.
    const delay_ms = this.#isQuiet() ? await this.#untilDue() : poll_ms
    if (this.#isWoken || this.#isStopping) return
    this.#cancelSweep = engine.clock.after(Math.min(delay_ms, poll_ms), () => this.wake())
  }

  async #untilDue(): Promise<number> {
    const { engine, queue, poll_ms } = this.#options
    try {
      const due_at = await queue.nextDueAt()
      const delay_ms = due_at === null ? poll_ms : Date.parse(due_at) - engine.clock.now()
      // What is due already and was not to be had is under another's lease, or its workspace has its ten.
      return delay_ms > 0 ? delay_ms : poll_ms
    } catch {
      return poll_ms
    }
  }

  #isQuiet(): boolean {
    return this.#on_the_wire === 0 && this.#outcomes.finished === 0 && this.#outcomes.retrying === 0
  }
}
