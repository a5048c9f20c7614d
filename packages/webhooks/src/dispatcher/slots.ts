import type { BookedSlots } from '@quittance/core'

/** For each slot so many attempts may have ended and wait to be recorded. */
const unrecorded_for_each = 8

/** What of a dispatcher's concurrency is taken. */
export class Slots {
  readonly #concurrency: number
  readonly #most_unrecorded: number
  /** So many attempts that have ended should be recorded before more of them take slots. */
  readonly many_unrecorded: number
  on_the_wire = 0
  /** Those that the claim under way may fill. */
  claiming = 0
  /** Those kept for commits that lease to this dispatcher. */
  booked = 0

  constructor(concurrency: number) {
    this.#concurrency = concurrency
    this.#most_unrecorded = unrecorded_for_each * concurrency
    this.many_unrecorded = this.#most_unrecorded / 2
  }

  /** How many are free, while so many are `asking` whether they may be sent, and so many have ended and are `unrecorded`. */
  free({ asking, unrecorded }: { asking: number; unrecorded: number }): number {
    const taken = this.on_the_wire + asking + this.claiming + this.booked + this.heldUp(unrecorded)
    return Math.max(0, this.#concurrency - taken)
  }

  /** Keeps so many free for what is sent in them, or until they are released. */
  book(count: number, { release, send }: BookedSlots): BookedSlots {
    this.booked += count
    return {
      release: () => {
        this.booked -= count
        release()
      },
      send: (deliveries) => {
        this.booked -= count
        send(deliveries)
      },
    }
  }

  /** How many of them take a slot: those beyond what may wait. */
  heldUp(unrecorded: number): number {
    return Math.max(0, unrecorded - this.#most_unrecorded)
  }
}

/** While a dispatcher is idle a claim leaves a fifth of the free slots to what is filed meanwhile. */
export function withoutSpare(slots: number): number {
  return slots - Math.floor(slots / 5)
}
