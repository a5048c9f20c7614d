import { option } from '@quittance/core'
import type { LedgerCharge, LedgerRefund } from '@quittance/processor-simulator'

/** The records of a processor under test, to be compared with ours. */
export interface ProcessorLedger {
  /** Everything that was ever accepted or refused, by its key. */
  charges(): readonly LedgerCharge[]
  refunds(): readonly LedgerRefund[]
}

/** A ledger that the checks cannot read: a mistake of the test's author, which says nothing about the processor. */
export class WrongLedger extends TypeError {}

const held = {
  key: option.text,
  amount: { says: 'a number of cents', fits: (value: unknown) => typeof value === 'number' },
  currency: option.text,
  state: option.having('kind'),
}
const charge = { ...held, history: { says: 'a list of `{ at, state }`', fits: isHistory } }
const refund = { ...held, charge_key: option.text }

/** The same ledger, with its entries validated each time it is read. */
export function checkedLedger(ledger: ProcessorLedger): ProcessorLedger {
  const checked = {
    charges: () => entriesOf('charges', ledger.charges(), charge),
    refunds: () => entriesOf('refunds', ledger.refunds(), refund),
  }
  checked.charges()
  checked.refunds()
  return checked
}

function entriesOf<Entry extends object>(
  call: string,
  entries: readonly Entry[],
  kinds: Readonly<Record<string, { says: string; fits(value: unknown): boolean }>>,
): readonly Entry[] {
  if (!Array.isArray(entries)) throw new WrongLedger(`\`ledger.${call}()\` gives a list, and no promise.`)
  for (const entry of entries) {
    for (const [name, { says, fits }] of Object.entries(kinds)) {
      const value: unknown = Reflect.get(entry, name)
      if (!fits(value))
        throw new WrongLedger(`\`${name}\` in \`ledger.${call}()\` is ${says}, not ${JSON.stringify(value)}.`)
    }
  }
  return entries
}

function isHistory(value: unknown): boolean {
  const is_step = (step: unknown) => option.having('state').fits(step)
  return Array.isArray(value) && value.every(is_step)
}
