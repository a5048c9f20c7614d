import type { BookedSlots } from '@quittance/core'
import { Wire, type WireOptions } from './wire.ts'

/** This many attempts per slot may have ended and wait to be recorded. */
const unrecorded_for_each = 8

/** This many attempts per slot may be slow without taking one: receivers that hang do so for 15 seconds each. */
const slow_for_each = 8

interface SlotsOptions extends WireOptions {
  concurrency: number
  /** Deliveries whose endpoints are being checked in the store. */
  checking: () => number
  /** Attempts that have ended and are not recorded. */
  unrecorded: () => number
}

/** Counts what a dispatcher has under way, and how much of its concurrency is left. */
export class Slots {
  readonly #options: SlotsOptions
  readonly #wire: Wire
  readonly #most_unrecorded: number
  /** This many ended attempts should be recorded at once, before more of them take slots. */
  readonly many_unrecorded: number
  /** Slots that the claim under way may fill. */
  claiming = 0
  /** Slots kept for commits that lease to this dispatcher. */
  #booked = 0

  constructor(options: SlotsOptions) {
    this.#options = options
    this.#wire = new Wire(options)
    this.#most_unrecorded = unrecorded_for_each * options.concurrency
    this.many_unrecorded = this.#most_unrecorded / 2
  }

  get free(): number {
    const { concurrency, unrecorded } = this.#options
    const too_slow = Math.max(0, this.#wire.slow - slow_for_each * concurrency)
    const taken = this.sending + too_slow + this.claiming + this.#booked + this.heldUp(unrecorded())
    return Math.max(0, concurrency - taken)
  }

  /** Attempts that are on the wire and not slow, or about to be on it. */
  get sending(): number {
    return this.#wire.quick + this.#options.checking()
  }

  /** `sending`, plus attempts that are not recorded yet. */
  get under_way(): number {
    return this.sending + this.#options.unrecorded()
  }

  /** Nothing is under way, slow, or booked. */
  isQuiet(): boolean {
    return this.under_way + this.#wire.slow + this.#booked === 0
  }

  /** Occupies a slot with an attempt until the returned function is called, or the attempt becomes slow. */
  occupy(): () => void {
    return this.#wire.begin()
  }

  /** Keeps `count` slots free until deliveries are sent in them, or they are released. */
  book(count: number, { release, send }: BookedSlots): BookedSlots {
    this.#booked += count
    return {
      release: () => {
        this.#booked -= count
        release()
      },
      send: (deliveries) => {
        this.#booked -= count
        send(deliveries)
      },
    }
  }

  /** How many of the unrecorded attempts take a slot: those beyond the number that may wait. */
  heldUp(unrecorded: number): number {
    return Math.max(0, unrecorded - this.#most_unrecorded)
  }
}

/** While a dispatcher is idle, a claim leaves a fifth of the free slots to deliveries filed meanwhile. */
export function withoutSpare(slots: number): number {
  return slots - Math.floor(slots / 5)
}
