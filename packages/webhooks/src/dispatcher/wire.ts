import type { Clock } from '@quittance/core'
import { Delay } from './delay.ts'

/** At each look, attempts that were on the wire at the last look become slow: after half a second to a second. */
export const look_ms = 500

export interface WireOptions {
  clock: Clock
  /** Called when attempts have become slow. */
  onSlow: () => void
}

/** Counts the attempts on the wire: begun -> (after a look or two) slow -> ended. */
export class Wire {
  readonly #options: WireOptions
  #looks = 0
  #begun_since_look = 0
  #begun_before = 0
  readonly #next_look: Delay
  slow = 0

  constructor(options: WireOptions) {
    this.#options = options
    this.#next_look = new Delay(options.clock, look_ms, () => this.#look())
  }

  /** Attempts that are not slow. */
  get quick(): number {
    return this.#begun_since_look + this.#begun_before
  }

  /** Notes an attempt that begins, until the returned function is called. */
  begin(): () => void {
    const began = this.#looks
    this.#begun_since_look += 1
    this.#next_look.begin()
    return () => {
      const looks = this.#looks - began
      if (looks === 0) this.#begun_since_look -= 1
      else if (looks === 1) this.#begun_before -= 1
      else this.slow -= 1
      if (this.quick === 0) this.#next_look.end()
    }
  }

  #look(): void {
    this.#next_look.end()
    this.#looks += 1
    const became_slow = this.#begun_before
    this.slow += became_slow
    this.#begun_before = this.#begun_since_look
    this.#begun_since_look = 0
    if (this.quick > 0) this.#next_look.begin()
    if (became_slow > 0) this.#options.onSlow()
  }
}
