import type { Engine } from '@quittance/core'
import type { DeliveryQueue } from '../queue.ts'

interface AlarmOptions {
  engine: Engine
  queue: Pick<DeliveryQueue, 'nextDueAt'>
  /** The longest that it lets a dispatcher sleep. */
  poll_ms: number
  wake: () => void
}

/** Wakes a dispatcher that sleeps: when the next delivery is due, or when it is time for the sweep. */
export class Alarm {
  readonly #options: AlarmOptions
  #cancel: (() => void) | undefined
  /** When the last claim looked for what is due, in engine time. */
  looked_at_ms = 0

  constructor(options: AlarmOptions) {
    this.#options = options
  }

  cancel(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Sets it for the next sweep. */
  set(): void {
    this.#set(this.#options.poll_ms)
  }

  /** Sets it earlier if a delivery falls due that the last claim did not see. False if the alarm was changed meanwhile. */
  async setForNextDue(): Promise<boolean> {
    const before = this.#cancel
    const delay_ms = await this.#untilDue()
    if (this.#cancel !== before) return false
    if (delay_ms < this.#options.poll_ms) this.#set(delay_ms)
    return true
  }

  #set(delay_ms: number): void {
    this.cancel()
    this.#cancel = this.#options.engine.clock.after(delay_ms, this.#options.wake)
  }

  async #untilDue(): Promise<number> {
    const { engine, queue, poll_ms } = this.#options
    try {
      const due_at = await queue.nextDueAt()
      const due_ms = due_at === null ? null : Date.parse(due_at)
      // Due at the last claim but not taken: under another lease, or its workspace has ten leases or is locked.
      if (due_ms === null || due_ms <= this.looked_at_ms) return poll_ms
      return Math.max(0, due_ms - engine.clock.now())
    } catch {
      return poll_ms
    }
  }
}
