import type { LedgerCharge, LedgerRefund } from '@quittance/processor-simulator'
import type { Rows } from './rows.ts'

/** An invariant that does not hold, by its number in the list of invariants or of races. */
export interface Violation {
  invariant: `M${number}` | `R${number}`
  detail: string
}

/** One moment of one workspace and environment. */
export interface Moment {
  /** Engine time. */
  now: string
  rows: Rows
  /** The processor's own ledger: charges of this workspace and environment, and of any other. */
  charges: readonly LedgerCharge[]
  /** Its refunds, likewise. */
  refunded: readonly LedgerRefund[]
  /** Invoices as the API shows them, if they were read. */
  shown_invoices?: readonly {
    id: string
    status: string
    total: number
    amount_due: number
    amount_paid: number
    amount_pending: number
    due_date: string
    past_due: boolean
    payment_url: string | null
  }[]
  /** Keys for which the processor's last look-up answered `unknown`. */
  unknown?: ReadonlySet<string>
  /** The rows a step earlier, to check what may never change and how rows may change. */
  before?: Rows
  /** Whether clocks were set on the way, or differ: then times of different steps say nothing about their order. */
  clock_was_set?: boolean
  /** Whether nothing is left to do, faults are over and seven days have passed: then money and leases must be at rest. */
  quiet?: boolean
}

/** Reports that an invariant does not hold. */
export type Report = (invariant: Violation['invariant'], detail: string) => void

/** The key under which the processor knows a payment. */
export function keyOf({ workspace, id }: { workspace: string; id: string }): string {
  return `${workspace}.${id}`
}

/** Whether a charge ever moved money. */
export function isCaptured({ history }: LedgerCharge): boolean {
  return history.some(({ state }) => state.kind === 'approved' || state.kind === 'settled')
}

/** For a message: what the processor says of a charge or refund, by the state in its ledger. */
export function saidOf(what: 'charge' | 'refund', state: { kind: string } | undefined): string {
  return state === undefined ? `the processor holds no such ${what}` : `the processor says ${state.kind}`
}

/** What the processor's ledger holds more than once under a key: our id, the key and every amount. */
export function heldTwice(ledger: readonly { key: string; amount: number; currency: string }[]): string[] {
  return [...Map.groupBy(ledger, ({ key }) => key)].flatMap(([key, held]) => {
    const amounts = held.map(({ amount, currency }) => `${amount} ${currency}`).join(' and ')
    return held.length > 1 ? [`${key.slice(key.indexOf('.') + 1)} under the key ${key}: ${amounts}`] : []
  })
}

export function total(money: readonly { amount: number }[]): number {
  return money.reduce((sum, { amount }) => sum + amount, 0)
}
