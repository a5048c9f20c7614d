import type { Clock } from '@quittance/core'

/** The owner of timers. Those of a dead process are forgotten, those of a frozen one wait until it thaws. */
export interface Sleeper {
  readonly state: 'running' | 'frozen' | 'dead'
}

interface Timer {
  at_ms: number
  owner: Sleeper
  wake(): void
}

/** A Saturday, at noon. */
const start_ms = Date.parse('2026-01-31T12:00:00.000Z')

/**
 * The one line of time under every process of a history. Timers run by the time that has passed; jumps of all clocks and
 * the skew of each do not affect them.
 */
export class Timeline {
  #passed_ms = start_ms
  #jumped_ms = 0
  #turned_ms = 0
  #was_set = false
  #timers: Timer[] = []

  /** The time that has passed, which setting a clock does not change. */
  get passed_ms(): number {
    return this.#passed_ms
  }

  get was_set(): boolean {
    return this.#was_set
  }

  /** What a clock without skew shows. */
  get real_ms(): number {
    return this.#passed_ms + this.#jumped_ms
  }

  /** Engine time: a sandbox's clock can be turned ahead of the real one. */
  get engine_ms(): number {
    return this.real_ms + this.#turned_ms
  }

  clockOf(owner: Sleeper, skew_ms: number): Clock {
    return {
      now: () => this.engine_ms + skew_ms,
      real: () => this.real_ms + skew_ms,
      after: (delay_ms, wake) => {
        const timer = { at_ms: this.#passed_ms + Math.max(0, delay_ms), owner, wake }
        this.#timers.push(timer)
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer)
        }
      },
    }
  }

  /** Sets every clock forward or back. No time passes. */
  jump(delta_ms: number): void {
    this.#jumped_ms += delta_ms
    this.#was_set = true
  }

  /** Turns the sandbox's clock ahead, and no other. */
  turn(delta_ms: number): void {
    this.#turned_ms += delta_ms
    this.#was_set = true
  }

  /** Goes on to `at_ms`, or to the first timer before it, which it fires. Returns whether there was one. */
  moveTo(at_ms: number): boolean {
    const timer = this.#first()
    if (timer === undefined || timer.at_ms > at_ms) {
      this.#passed_ms = Math.max(this.#passed_ms, at_ms)
      return false
    }
    this.#passed_ms = Math.max(this.#passed_ms, timer.at_ms)
    this.#timers.splice(this.#timers.indexOf(timer), 1)
    timer.wake()
    return true
  }

  /** When the next timer fires; null if there is none. */
  nextTimer_ms(): number | null {
    return this.#first()?.at_ms ?? null
  }

  /** The timer that falls due first; of several, the one set first. */
  #first(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.owner.state === 'running' && (first === undefined || timer.at_ms < first.at_ms)) first = timer
    }
    return first
  }
}
