import { z } from 'zod'
import { action } from '../kernel/action.ts'
import { changeInvoice } from './change-invoice.ts'
import { decideInvoice } from './invoice-machine.ts'

/** Opens an invoice without a link, because it will be sent later. */
export const scheduleInvoice = action({
  input: z.strictObject({ id: z.string() }),
  run: (unit, { id }) => changeInvoice(unit, id, (found) => decideInvoice(found, 'schedule', unit.now)),
})
