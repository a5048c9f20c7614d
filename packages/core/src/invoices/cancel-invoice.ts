import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { byId } from '../schema/ids.ts'
import { changeInvoice } from './change-invoice.ts'
import { decideInvoice } from './invoice-machine.ts'

/** Cancels an open invoice, so that nothing is owed on it; `conflict` for any other, or while money is pending. */
export const cancelInvoice = action({
  input: byId,
  run: (unit, { id }) =>
    changeInvoice(unit, id, (found) =>
      found.amount_pending > 0
        ? fail('conflict', { message: 'A payment of this invoice is still pending.' })
        : decideInvoice(found, 'cancel', unit.now),
    ),
})
