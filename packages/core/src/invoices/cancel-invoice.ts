import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { err, ok } from '../kernel/result.ts'
import { decideInvoice } from './invoice-machine.ts'
import { showInvoice } from './show-invoice.ts'

/** Cancels an open invoice, so that nothing is owed on it; `conflict` for any other, or while money is pending. */
export const cancelInvoice = action({
  input: z.strictObject({ id: z.string() }),
  async run(unit, { id }) {
    const found = await unit.tx.invoices.lock(id)
    if (!found) return fail('resource_missing')
    if (found.amount_pending > 0)
      return fail('conflict', { message: 'A payment of this invoice is still pending.' })
    const canceled = decideInvoice(found, 'cancel', unit.now)
    if (canceled.isErr()) return err(canceled.error)
    await unit.tx.invoices.update(canceled.value)
    return ok(showInvoice(canceled.value, unit))
  },
})
