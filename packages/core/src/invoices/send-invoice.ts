import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { err, ok } from '../kernel/result.ts'
import { day_ms, shifted } from '../schema/timestamps.ts'
import { decideInvoice } from './invoice-machine.ts'
import { showInvoice } from './show-invoice.ts'

/** Opens an invoice without a link, because it will be sent later. */
export const scheduleInvoice = action({
  input: z.strictObject({ id: z.string() }),
  async run(unit, { id }) {
    const found = await unit.tx.invoices.lock(id)
    if (!found) return fail('resource_missing')
    const opened = decideInvoice(found, 'schedule', unit.now)
    if (opened.isErr()) return err(opened.error)
    await unit.tx.invoices.update(opened.value)
    return ok(showInvoice(opened.value, unit))
  },
})

/** Sends an invoice, or sends it again: that adds a link, and the earlier ones keep working. */
export const sendInvoice = action({
  input: z.strictObject({ id: z.string(), link_days: z.int().min(1).max(3_650).optional() }),
  async run(unit, { id, link_days }) {
    const { tx, ids, now } = unit
    const found = await tx.invoices.lock(id)
    if (!found) return fail('resource_missing')
    const sent = decideInvoice(found, 'send', now)
    if (sent.isErr()) return err(sent.error)
    const expires_at = link_days === undefined ? null : shifted(now, link_days * day_ms)
    const link = { id: ids.secret(12), created_at: now, expires_at, revoked_at: null }
    const next = { ...sent.value, links: [...found.links, link] }
    await tx.invoices.update(next)
    return ok(showInvoice(next, unit))
  },
})

/** Revokes every link of an invoice. */
export const revokeInvoiceLinks = action({
  input: z.strictObject({ id: z.string() }),
  async run(unit, { id }) {
    const { tx, now } = unit
    const found = await tx.invoices.lock(id)
    if (!found) return fail('resource_missing')
    const links = found.links.map((link) => ({ ...link, revoked_at: link.revoked_at ?? now }))
    const next = { ...found, links, changed_at: now }
    await tx.invoices.update(next)
    return ok(showInvoice(next, unit))
  },
})
