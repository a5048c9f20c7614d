import { checkInvariants } from './check-invariants.ts'
import { keyOf, type Moment } from './moment.ts'
import type { Rows } from './rows.ts'
import { checkSales } from './sales.ts'
import type { Sales } from './sales-moment.ts'

/** Everything that must hold where things are sold: what holds of the API's payments, and of all that goes with them. */
export function checkEverything(sales: Sales) {
  const violations = checkInvariants(apiOnly(sales))
  checkSales(sales, (invariant, detail) => violations.push({ invariant, detail }))
  return violations
}

/** Money taken on an invoice's page is listed and announced nowhere, which the rules of API payments would miss. */
function apiOnly({ rows, charges, before, ...moment }: Sales): Moment {
  const from_pages = rows.payments.filter(({ source }) => source === 'invoice_page')
  const on_pages = new Set(from_pages.map(keyOf))
  const hidden = new Set<string | null>(from_pages.map(({ id }) => id))
  const visible = (of: Rows): Rows => ({
    ...of,
    payments: of.payments.filter(({ source }) => source === 'api'),
    payment_methods: of.payment_methods.filter(({ charging_payment: id }) => !hidden.has(id)),
  })
  const visible_charges = charges.filter(({ key }) => !on_pages.has(key))
  return {
    ...moment,
    rows: visible(rows),
    charges: visible_charges,
    ...(before ? { before: visible(before) } : {}),
  }
}
