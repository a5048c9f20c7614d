const least = 256

/** To step to the next endpoint takes longer than to look at this many deliveries. */
const due_per_step = 2

/**
 * How many of the deliveries that have been due for longest a claim looks at, before it steps from endpoint to endpoint to see
 * whose turn it is. With thousands of endpoints those steps take long, but the oldest deliveries may all be of one that cannot
 * keep up. So a claim that had to step makes the window larger, and one that did not a little smaller.
 */
export class ClaimWindow {
  #size = least

  get size(): number {
    return this.#size
  }

  /** After a claim that stepped to so many endpoints. */
  adapt(steps: number): void {
    this.#size =
      steps > 0
        ? Math.min(2 * this.#size, least + due_per_step * steps)
        : Math.max(least, Math.floor(0.98 * this.#size))
  }
}
