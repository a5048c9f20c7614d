import type { LedgerCharge } from '@quittance/processor-simulator'
import { checkCharges } from './charges.ts'
import { checkDeliveries } from './deliveries.ts'
import { checkEvents } from './events.ts'
import { checkKeys } from './keys.ts'
import { checkMethods } from './methods.ts'
import { checkMoves } from './moves.ts'
import { checkQuiet } from './quiet.ts'
import type { Rows } from './rows.ts'
import { checkScope } from './scope.ts'

/** What does not hold, under its number in the list of invariants. */
export interface Violation {
  invariant: `M${number}`
  detail: string
}

/** One moment of one workspace and environment. */
export interface Moment {
  /** Engine time. */
  now: string
  rows: Rows
  /** The processor's own ledger: charges of this workspace and environment, and of any other. */
  charges: readonly LedgerCharge[]
  /** The rows a step earlier, for what may never change and for how things may move. */
  before?: Rows
  /** Nothing is left to do, faults are over and seven days have passed: money and leases must be at rest. */
  quiet?: boolean
}

/** Says that something does not hold. */
export type Report = (invariant: Violation['invariant'], detail: string) => void

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
  if (moment.before) checkMoves({ ...moment, before: moment.before }, report)
  if (moment.quiet) checkQuiet(moment, report)
  return violations
}

/** The key under which the processor knows a payment. */
export function keyOf({ workspace, id }: { workspace: string; id: string }): string {
  return `${workspace}.${id}`
}

/** Whether a charge ever moved money. */
export function isCaptured({ history }: LedgerCharge): boolean {
  return history.some(({ state }) => state.kind === 'approved' || state.kind === 'settled')
}
