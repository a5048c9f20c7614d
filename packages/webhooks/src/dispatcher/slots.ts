/** What of a dispatcher's concurrency is taken. */
export class Slots {
  readonly #concurrency: number
  on_the_wire = 0
  /** Those that the claim under way may fill. */
  claiming = 0
  /** Those kept for commits that lease to this dispatcher. */
  booked = 0

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** How many are free, while so many are `asking` whether they may be sent, and so many have ended and are `unrecorded`. */
  free({ asking, unrecorded }: { asking: number; unrecorded: number }): number {
    const taken = this.on_the_wire + asking + this.claiming + this.booked + this.heldUp(unrecorded)
    return Math.max(0, this.#concurrency - taken)
  }

  /** How many these take, beyond the number of slots: so many may wait beside what is on the wire. */
  heldUp(unrecorded: number): number {
    return Math.max(0, unrecorded - this.#concurrency)
  }
}
