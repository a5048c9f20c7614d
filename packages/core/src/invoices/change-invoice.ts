import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Unit } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import type { Invoice, InvoiceRow } from './invoice.ts'
import { showInvoice } from './show-invoice.ts'

/** What every action on an invoice does: load it under its lock, decide, save it and show it. */
export async function changeInvoice(
  unit: Unit,
  id: string,
  decide: (found: InvoiceRow) => Result<InvoiceRow, DomainError>,
): Promise<Result<Invoice, DomainError>> {
  const found = await unit.tx.invoices.lock(id)
  if (!found) return fail('resource_missing')
  const decided = decide(found)
  if (decided.isErr()) return err(decided.error)
  await unit.tx.invoices.update(decided.value)
  return ok(showInvoice(decided.value, unit))
}
