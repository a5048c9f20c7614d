import type { Unit } from '../kernel/operation.ts'
import { decideMoney, type InvoiceMoney } from './invoice-machine.ts'

/** Applies money to an invoice under its lock, in the unit of work in which the money moved. */
export async function moveInvoiceMoney(
  { tx, now }: Unit,
  id: string,
  money: InvoiceMoney & { returned?: boolean },
): Promise<void> {
  const invoice = await tx.invoices.lock(id)
  if (!invoice) throw new Error('A payment names an invoice that is not there.')
  await tx.invoices.update(decideMoney(invoice, money, { returned: money.returned ?? false, now }))
}
