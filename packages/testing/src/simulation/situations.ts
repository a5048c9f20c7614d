import { faults } from './faults.ts'

/**
 * What makes a history interesting. Each situation is counted over all histories: a run that never came to one of them has
 * not tested it, and says so.
 */
export const situations = [
  // The outcome of a charge.
  'an approved charge was found by the reconciler',
  'a declined charge was found by the reconciler',
  'a charge that never arrived was fenced off by the reconciler',
  'a charge arrived after its key was fenced off',
  'a charge arrived after its request had given up',
  'a charge was told of by a notification before its own answer',
  'a payment was unanswered and became processing',
  'a payment never left',
  'a card was declined',
  'a debit was accepted',
  'a debit settled',
  'a debit was refused by the bank',
  'a debit was returned straight from processing',
  'a debit was returned after it had settled',
  'a card payment was charged back',
  'a payment was voided',
  'a void came too late',
  // Methods and sessions.
  'a session was used by two at once',
  'a session was used after its time',
  'a session was confirmed when it expired',
  'a session was canceled',
  'a method was given back by a charge that never left',
  'a method expired',
  'a method was detached',
  'a saved method was charged again',
  // Refunds.
  'a refund succeeded',
  'a part of a payment was refunded',
  'a refund failed later and gave its amount back',
  'a refund was refused',
  'a refund met another under way',
  'a refund exceeded what was left',
  'a refund met a payment that is not succeeded',
  'a refund was found by the reconciler',
  'a refund that never arrived was fenced off',
  'a payment came back after a refund of it',
  // Checkout pages.
  'a page was paid by card',
  'a page was completed by a debit',
  'a page met two payers at once',
  'a page stayed open after a declined card',
  'a page expired by its time',
  'a page was expired by the merchant',
  'an expiry met a payment in flight',
  'a page expired when its payment failed after its time',
  'a payer came too late for a page',
  // Invoices.
  'an invoice was paid in full',
  'an invoice was paid in part',
  'an invoice was paid on its page',
  'an invoice met a payment of more than is due',
  'an invoice was reopened by money that came back',
  'an invoice was written off',
  'an invoice was canceled',
  'an invoice kept money pending',
  // Idempotency.
  'an answer was replayed',
  'a key was reused for another request',
  'a key was in flight',
  'a key of a dead request was healed',
  'a key of a dead request was let go',
  'a key was forgotten after its time',
  'a fault was answered and kept',
  'a request was repeated after its answer was lost',
  'a key was rotated',
  'a revoked key was refused',
  // Deliveries.
  'a delivery was leased by the commit that filed it',
  'an event was delivered at once',
  'an event was delivered by a retry',
  'an event was delivered twice',
  'a delivery ran its whole schedule',
  'a delivery was canceled',
  'a delivery was canceled by its own failure after its endpoint was disabled',
  'a delivery succeeded after its endpoint was disabled',
  'a delivery lease was lost',
  'a delivery was taken over after its lease',
  'ten deliveries of a workspace were under way',
  'a delivery was leased ahead',
  'a delivery took the place of another',
  'a delivery was given back unsent',
  'an attempt timed out',
  'an event was sent again',
  'a resend met a delivery under way',
  'an endpoint was paused automatically',
  'an endpoint was resumed',
  'an endpoint was deleted with deliveries pending',
  'a seventeenth endpoint was refused',
  'claiming deliveries failed',
  'attempts could not be recorded at first',
  // Readers.
  'a list was walked over several pages',
  'a list grew while it was walked',
  // The world outside.
  ...Object.values(faults).filter((what) => what !== null),
  'a process died with requests in flight',
  'a process was frozen and went on',
  'a process was frozen past a lease',
  'every process was dead',
  'the clocks jumped ahead',
  'the clocks jumped back',
  "the sandbox's clock was turned ahead",
  'a batch of notifications',
  'a step at the processor by hand',
] as const

export type Situation = (typeof situations)[number]

export type Counters = Partial<Record<Situation, number>>

/** Adds the counts of one history, or of many, to those of others. */
export function addCounters(total: Counters, more: Counters): void {
  for (const [situation, count] of Object.entries(more) as [Situation, number][]) {
    total[situation] = (total[situation] ?? 0) + count
  }
}

/** The situations that never occurred. */
export function unseen(counters: Counters): Situation[] {
  return situations.filter((situation) => counters[situation] === undefined)
}
