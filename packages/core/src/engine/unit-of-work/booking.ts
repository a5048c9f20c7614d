import type { ClaimedDelivery } from '../../ports/store.ts'

/** Slots of a dispatcher of this process, kept free for what a unit of work files. One of the two is called, once. */
export interface Booking {
  /** Sends what is committed now, each delivery under a lease until then. */
  send(deliveries: readonly ClaimedDelivery[], lease_until: string): void
  release(): void
}

/** Null if the dispatcher would not send all of these at once. */
export type Book = (filed: readonly ClaimedDelivery[]) => Booking | null
