import { action } from '../kernel/action.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { changeInvoice } from './change-invoice.ts'

/** Revokes every link of an invoice. */
export const revokeInvoiceLinks = action({
  input: byId,
  run: (unit, { id }) =>
    changeInvoice(unit, id, (found) => {
      const { now } = unit
      const links = found.links.map((link) => ({ ...link, revoked_at: link.revoked_at ?? now }))
      return ok({ ...found, links, changed_at: now })
    }),
})
