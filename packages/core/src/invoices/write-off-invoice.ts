import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { ok } from '../kernel/result.ts'
import { amount } from '../schema/money.ts'
import { amountDue, decideMoney } from './invoice-machine.ts'
import { showInvoice } from './show-invoice.ts'

/** Writes off a part of what is due, or all of it. An invoice that is covered by that becomes `paid`. */
export const writeOffInvoice = action({
  input: z.strictObject({ id: z.string(), amount: amount.optional() }),
  async run(unit, { id, amount }) {
    const { tx, now } = unit
    const found = await tx.invoices.lock(id)
    if (!found) return fail('resource_missing')
    const due = amountDue(found)
    if (due === 0) return fail('conflict', { message: 'Nothing is due on this invoice.' })
    if (amount !== undefined && amount > due) return fail('parameter_invalid', { param: 'amount' })
    const written = { ...found, written_off: found.written_off + (amount ?? due) }
    const next = decideMoney(written, { paid: 0, pending: 0 }, { returned: false, now })
    await tx.invoices.update(next)
    return ok(showInvoice(next, unit))
  },
})
