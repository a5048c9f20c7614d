/** For each slot so many attempts may have ended and wait to be recorded: while a claim is under way, none is. */
const unrecorded_for_each = 4

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

  /** How many of them take a slot: those beyond what may wait. */
  heldUp(unrecorded: number): number {
    return Math.max(0, unrecorded - unrecorded_for_each * this.#concurrency)
  }
}
