import type { ConnectionRow } from '../connections/connection.ts'
import type { InvoiceRow } from '../invoices/invoice.ts'
import { newPaymentLink } from '../invoices/payment-link.ts'
import { findOrInsert } from '../kernel/find-or-insert.ts'
import type { Unit } from '../kernel/operation.ts'
import type { LedgerInvoiceRow } from '../ledger-invoices/ledger-invoice.ts'
import { importInvoice, type Merged, mergeInvoice } from '../ledger-invoices/merge-invoice.ts'
import type { LedgerCustomer, LedgerInvoice } from '../ports/connector.ts'
import type { WriteTable } from '../ports/store.ts'

/** What became of a record, or why nothing did: which field is wrong and how, never its value. */
export type Upserted = 'created' | 'updated' | 'unchanged' | { skipped: string }

/** Creates or updates a ledger's customer, found by its reference. */
export async function upsertCustomer({ tx, scope, ids, now }: Unit, said: LedgerCustomer): Promise<Upserted> {
  const { reference, name, email, phone } = said
  return findOrInsert<Upserted>(async () => {
    const known = await lockOne(tx.customers, { reference })
    if (known) {
      if (known.name === name && known.email === email && known.phone === phone) return 'unchanged'
      await tx.customers.update({ ...known, name, email, phone })
      return 'updated'
    }
    const id = ids.uuid(Date.parse(now))
    const row = { ...scope, id, reference, name, email, phone, created_at: now }
    return (await tx.customers.insertNew(row)) ? 'created' : undefined
  })
}

/** The connection through which the ledger was asked, and when. */
interface Source {
  connection: string
  asked_at: string
}

/**
 * Creates or updates a ledger's invoice, found by its `external_id`. It stays with the customer it was first billed
 * to. Skipped if its customer is unknown, its currency changed, another ledger keeps it, or it changed here after the
 * ledger was asked: the next sync then tries again.
 */
export async function upsertInvoice(
  unit: Unit,
  { connection, asked_at }: Source,
  said: LedgerInvoice,
): Promise<Upserted> {
  const { tx, scope, ids, now } = unit
  const customer = await findOne(tx.customers, { reference: said.customer })
  if (!customer) return { skipped: 'customer: unknown here and in the ledger' }
  return findOrInsert<Upserted>(async () => {
    const known = await lockOne(tx.invoices, { external_id: said.external_id })
    if (known) return merge(unit, { connection, asked_at, said, known })
    const links = [newPaymentLink(unit, null)]
    const made = { ...scope, id: ids.uuid(Date.parse(now)), customer: customer.id, links }
    const imported = importInvoice(said, made, now)
    if (!(await tx.invoices.insertNew(imported.invoice))) return undefined
    await tx.ledger_invoices.insert(keptBy(unit, { connection, said, merged: imported }))
    return 'created'
  })
}

async function merge(
  unit: Unit,
  { connection, asked_at, said, known }: Source & { said: LedgerInvoice; known: InvoiceRow },
): Promise<Upserted> {
  const { tx, now } = unit
  if (known.currency !== said.currency) return { skipped: 'currency: not the one it had' }
  if (known.changed_at > asked_at) return { skipped: 'record: changed here since the ledger was asked' }
  const last = await tx.ledger_invoices.get(known.id)
  if (last && !(await isSameLedger(unit, last.connection, connection)))
    return { skipped: 'external_id: another ledger brought this invoice' }
  const merged = mergeInvoice({ invoice: known, written_off: last?.written_off ?? 0 }, said, now)
  const { invoice, written_off } = merged
  const kept = keptBy(unit, { connection, said, merged })
  if (!last) await tx.ledger_invoices.insert(kept)
  else if (last.written_off !== written_off || last.connection !== connection || last.said !== kept.said)
    await tx.ledger_invoices.update(kept)
  if (invoice === known) return 'unchanged'
  await tx.invoices.update(invoice)
  return 'updated'
}

/** The row that marks an invoice as kept by the ledger behind this connection. */
function keptBy(
  { scope, now }: Unit,
  { connection, said, merged }: { connection: string; said: LedgerInvoice; merged: Merged },
): LedgerInvoiceRow {
  const { invoice, written_off } = merged
  // While money is pending, what the ledger's `paid` or `canceled` means for the invoice depends on that money.
  const waits = invoice.amount_pending > 0 && said.status !== 'open'
  const kept = { connection, written_off, said: waits ? JSON.stringify(said) : null }
  return { ...scope, id: invoice.id, ...kept, changed_at: now }
}

/** Whether two connections lead to the same ledger: one may replace the other, with a new token. */
async function isSameLedger({ tx }: Unit, one: string, other: string): Promise<boolean> {
  if (one === other) return true
  const [a, b] = await Promise.all([tx.connections.get(one), tx.connections.get(other)])
  return a?.kind === b?.kind && a?.site_id === b?.site_id && addressOf(a) === addressOf(b)
}

/** Whatever its spelling: a slash at its end and the case of its host make no other ledger. */
function addressOf(connection: ConnectionRow | undefined): string {
  const base_url = connection?.base_url ?? ''
  return (URL.canParse(base_url) ? new URL(base_url).href : base_url).replace(/\/+$/, '')
}

/** The row with these unique values, locked. Undefined: there is none, though one may appear before it is inserted. */
async function lockOne<Row extends { id: string }>(
  table: WriteTable<Row>,
  where: Partial<Row>,
): Promise<Row | undefined> {
  const found = await findOne(table, where)
  return found && table.lock(found.id)
}

async function findOne<Row>(table: WriteTable<Row>, where: Partial<Row>): Promise<Row | undefined> {
  const [found] = await table.page({ where, limit: 1 })
  return found
}
