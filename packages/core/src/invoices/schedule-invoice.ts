import { action } from '../kernel/action.ts'
import { byId } from '../schema/ids.ts'
import { changeInvoice } from './change-invoice.ts'
import { decideInvoice } from './invoice-machine.ts'

/** Opens an invoice without a link, because it will be sent later. */
export const scheduleInvoice = action({
  input: byId,
  run: (unit, { id }) => changeInvoice(unit, id, (found) => decideInvoice(found, 'schedule', unit.now)),
})
