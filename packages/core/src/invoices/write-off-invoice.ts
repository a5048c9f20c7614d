import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { amount } from '../schema/money.ts'
import { changeInvoice } from './change-invoice.ts'
import { amountDue, decideMoney } from './invoice-machine.ts'

/** Writes off a part of what is due, or all of it. An invoice that is covered by that becomes `paid`. */
export const writeOffInvoice = action({
  input: byId.extend({ amount: amount.optional() }),
  run: (unit, { id, amount }) =>
    changeInvoice(unit, id, (found) => {
      const due = amountDue(found)
      if (due === 0) return fail('conflict', { message: 'Nothing is due on this invoice.' })
      if (amount !== undefined && amount > due) return fail('parameter_invalid', { param: 'amount' })
      const written = { ...found, written_off: found.written_off + (amount ?? due) }
      return ok(decideMoney(written, { paid: 0, pending: 0 }, { reopens: false, now: unit.now }))
    }),
})
