import type { CustomerRow } from '../customers/customer.ts'
import type { InvoiceRow } from '../invoices/invoice.ts'
import type { Unit } from '../kernel/operation.ts'
import type { LedgerCustomer, LedgerInvoice } from '../ports/connector.ts'
import type { WriteTable } from '../ports/store.ts'
import { importInvoice, mergeInvoice } from './merge-invoice.ts'

export type Upserted = 'created' | 'updated' | 'unchanged' | 'skipped'

/** A ledger's customer, found by its reference. */
export async function upsertCustomer({ tx, scope, ids, now }: Unit, said: LedgerCustomer): Promise<Upserted> {
  const { reference, name, email, phone } = said
  const row: CustomerRow = {
    ...scope,
    id: ids.uuid(Date.parse(now)),
    reference,
    name,
    email,
    phone,
    created_at: now,
  }
  const known = await lockOrInsert(tx.customers, { where: { reference }, row })
  if (known === null) return 'created'
  if (known.name === name && known.email === email && known.phone === phone) return 'unchanged'
  await tx.customers.update({ ...known, name, email, phone })
  return 'updated'
}

/**
 * A ledger's invoice, found by its `external_id`. It stays with the customer it was billed to first; one whose
 * customer is not known, or that changed its currency, is skipped.
 */
export async function upsertInvoice(unit: Unit, connection: string, said: LedgerInvoice): Promise<Upserted> {
  const { tx, scope, ids, now } = unit
  const customer = await findOne(tx.customers, { reference: said.customer })
  if (!customer) return 'skipped'
  const link = { id: ids.secret(12), created_at: now, expires_at: null, revoked_at: null }
  const made = { ...scope, id: ids.uuid(Date.parse(now)), customer: customer.id, links: [link] }
  const row = importInvoice(said, made, now)
  const known = await lockOrInsert(tx.invoices, { where: { external_id: said.external_id }, row })
  if (known && known.currency !== said.currency) return 'skipped'
  return remember(unit, { connection, said, known, created: row })
}

async function remember(
  { tx, scope, now }: Unit,
  {
    connection,
    said,
    known,
    created,
  }: {
    connection: string
    said: LedgerInvoice
    known: InvoiceRow | null
    created: InvoiceRow
  },
): Promise<Upserted> {
  const id = (known ?? created).id
  const { amount_paid } = said
  const seen = { ...scope, id, connection, amount_paid, changed_at: now }
  const last = known && (await tx.ledger_invoices.get(id))
  if (!last) await tx.ledger_invoices.insert(seen)
  else if (last.amount_paid !== amount_paid) await tx.ledger_invoices.update(seen)
  if (known === null) return 'created'
  const next = mergeInvoice(known, said, { ledger_paid: last?.amount_paid ?? 0, now })
  if (next === known) return 'unchanged'
  await tx.invoices.update(next)
  return 'updated'
}

/** The row that has these unique values, locked; null where there was none and `row` is it now. */
async function lockOrInsert<Row extends { id: string }>(
  table: WriteTable<Row>,
  { where, row }: { where: Partial<Row>; row: Row },
): Promise<Row | null> {
  for (;;) {
    const found = await findOne(table, where)
    const locked = found && (await table.lock(found.id))
    if (locked) return locked
    if (await table.insertNew(row)) return null
  }
}

async function findOne<Row>(table: WriteTable<Row>, where: Partial<Row>): Promise<Row | undefined> {
  const [found] = await table.page({ where, limit: 1 })
  return found
}
