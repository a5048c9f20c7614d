import { checkCharges } from './charges.ts'
import { checkCheckoutSessions } from './checkout-sessions.ts'
import { checkDeliveries } from './deliveries.ts'
import { checkEvents } from './events.ts'
import { checkInvoices } from './invoices.ts'
import { checkKeys } from './keys.ts'
import { checkMethods } from './methods.ts'
import type { Moment, Report, Violation } from './moment.ts'
import { checkMoves } from './moves.ts'
import { checkQuiet } from './quiet.ts'
import { checkRefunds } from './refunds.ts'
import { checkScope } from './scope.ts'

/** Checks everything that must hold after every step, whatever the store. Empty: all of it holds. */
export function checkInvariants(moment: Moment): Violation[] {
  const violations: Violation[] = []
  const report: Report = (invariant, detail) => violations.push({ invariant, detail })
  checkCharges(moment, report)
  checkMethods(moment, report)
  checkEvents(moment, report)
  checkDeliveries(moment, report)
  checkKeys(moment, report)
  checkScope(moment, report)
  checkRefunds(moment, report)
  checkInvoices(moment, report)
  checkCheckoutSessions(moment, report)
  if (moment.before) checkMoves({ ...moment, before: moment.before }, report)
  if (moment.quiet) checkQuiet(moment, report)
  return violations
}
