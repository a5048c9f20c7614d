import type { LeasedDelivery } from '../leased-delivery.ts'

/** Slots of a dispatcher of this process, kept free for what a unit of work files. The unit calls either function, once. */
export interface BookedSlots {
  /** If this throws, what was committed stays: the fault is only logged. */
  send(deliveries: readonly LeasedDelivery[]): void
  /** Nothing was committed or leased. */
  release(): void
}

/** Keeps that many slots free. Null if the dispatcher would not send that many at once. */
export type Book = (count: number) => BookedSlots | null
