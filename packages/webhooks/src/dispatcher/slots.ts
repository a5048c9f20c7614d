import type { BookedSlots } from '@quittance/core'

/** For each slot so many attempts may have ended and wait to be recorded. */
const unrecorded_for_each = 8

interface Elsewhere {
  /** Deliveries about which the store is asked whether they may be sent. */
  asking: () => number
  /** Attempts that have ended and are not recorded. */
  unrecorded: () => number
}

/** Counts what a dispatcher has under way, and what of its concurrency that leaves. */
export class Slots {
  readonly #concurrency: number
  readonly #elsewhere: Elsewhere
  readonly #most_unrecorded: number
  /** So many attempts that have ended should be recorded before more of them take slots. */
  readonly many_unrecorded: number
  on_the_wire = 0
  /** Those that the claim under way may fill. */
  claiming = 0
  /** Those kept for commits that lease to this dispatcher. */
  booked = 0

  constructor(concurrency: number, elsewhere: Elsewhere) {
    this.#concurrency = concurrency
    this.#elsewhere = elsewhere
    this.#most_unrecorded = unrecorded_for_each * concurrency
    this.many_unrecorded = this.#most_unrecorded / 2
  }

  get free(): number {
    const held_up = this.heldUp(this.#elsewhere.unrecorded())
    return Math.max(0, this.#concurrency - this.sending - this.claiming - this.booked - held_up)
  }

  /** Attempts that are on the wire, or about to be. */
  get sending(): number {
    return this.on_the_wire + this.#elsewhere.asking()
  }

  /** The same, and those that are not recorded yet. */
  get under_way(): number {
    return this.sending + this.#elsewhere.unrecorded()
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

  /** How many of so many unrecorded attempts take a slot: those beyond what may wait. */
  heldUp(unrecorded: number): number {
    return Math.max(0, unrecorded - this.#most_unrecorded)
  }
}

/** While a dispatcher is idle a claim leaves a fifth of the free slots to what is filed meanwhile. */
export function withoutSpare(slots: number): number {
  return slots - Math.floor(slots / 5)
}
