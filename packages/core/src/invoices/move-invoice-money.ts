import type { Unit } from '../kernel/operation.ts'
import { decideMoney, giveDiscountBack, type InvoiceMoney } from './invoice-machine.ts'

/**
 * Applies money to an invoice under its lock, in the unit of work in which the money moved. `undone` names the
 * payment that failed or came back.
 */
export async function moveInvoiceMoney(
  { tx, now }: Unit,
  id: string,
  { undone, returned = false, ...money }: InvoiceMoney & { undone?: string; returned?: boolean },
): Promise<void> {
  const found = await tx.invoices.lock(id)
  if (!found) throw new Error('A payment names an invoice that is not there.')
  const invoice = undone === undefined ? found : giveDiscountBack(found, undone)
  const paid_here = invoice.paid_here || money.paid !== 0
  await tx.invoices.update({ ...decideMoney(invoice, money, { returned, now }), paid_here })
}
