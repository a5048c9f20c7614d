import type { Race } from './race.ts'
import { races_of_charges } from './races-of-charges.ts'
import { races_of_endpoints } from './races-of-endpoints.ts'
import { races_of_outcomes } from './races-of-outcomes.ts'
import { races_of_pages } from './races-of-pages.ts'
import { races_of_readers } from './races-of-readers.ts'
import { races_of_refund_outcomes } from './races-of-refund-outcomes.ts'
import { races_of_refunds } from './races-of-refunds.ts'

/** Every race that can be run in one process, by its number. */
export const races: readonly Race[] = [
  ...races_of_charges,
  ...races_of_pages,
  ...races_of_refunds,
  ...races_of_outcomes,
  ...races_of_refund_outcomes,
  ...races_of_endpoints,
  ...races_of_readers,
].sort((one, other) => numberOf(one) - numberOf(other))

export function numberOf({ id }: Race): number {
  return Number(id.slice(1))
}
