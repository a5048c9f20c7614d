import { checkInvariants } from './check-invariants.ts'
import { checkSales } from './sales.ts'
import type { Sales } from './sales-moment.ts'

/** Everything that must hold where things are sold: what holds of every payment, and of all that goes with them. */
export function checkEverything(sales: Sales) {
  const violations = checkInvariants(sales)
  checkSales(sales, (invariant, detail) => violations.push({ invariant, detail }))
  return violations
}
