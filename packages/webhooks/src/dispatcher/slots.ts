/** What of a dispatcher's concurrency is taken. */
export class Slots {
  readonly #concurrency: number
  on_the_wire = 0
  /** Those that the claim under way may fill. */
  claiming = 0
  /** Those kept for commits that lease to this dispatcher. */
  booked = 0
  /** As of the last call of `free`: outcomes that wait to be recorded took slots. */
  isHeldUp = false

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  /** How many are free, while so many are `asking` whether they may be sent, and so many have ended and are `unrecorded`. */
  free({ asking, unrecorded }: { asking: number; unrecorded: number }): number {
    const too_many = Math.max(0, unrecorded - this.#concurrency)
    this.isHeldUp = too_many > 0
    return Math.max(0, this.#concurrency - this.on_the_wire - asking - this.claiming - this.booked - too_many)
  }
}
