import type { Clock } from '@quittance/core'

/** Calls `done` some time after it has begun. To begin again meanwhile does not prolong it. */
export class Delay {
  readonly #clock: Pick<Clock, 'after'>
  readonly #delay_ms: number
  readonly #done: () => void
  #cancel: (() => void) | undefined

  constructor(clock: Pick<Clock, 'after'>, delay_ms: number, done: () => void) {
    this.#clock = clock
    this.#delay_ms = delay_ms
    this.#done = done
  }

  begin(): void {
    this.#cancel ??= this.#clock.after(this.#delay_ms, this.#done)
  }

  /** Cancels it, if it is not over. From now on it may begin anew. */
  end(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
