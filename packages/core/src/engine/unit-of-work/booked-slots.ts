import type { LeasedDelivery } from '../leased-delivery.ts'

/** Slots of a dispatcher of this process, kept free for what a unit of work files: it calls either function, once. */
export interface BookedSlots {
  /** What is committed now stays so if this throws: that is only logged. */
  send(deliveries: readonly LeasedDelivery[]): void
  /** Nothing was committed or leased. */
  release(): void
}

/** Keeps so many slots free. Null if the dispatcher would not send all of that at once. */
export type Book = (count: number) => BookedSlots | null
