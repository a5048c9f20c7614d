import { z } from 'zod'
import { action } from '../kernel/action.ts'
import { byId } from '../schema/ids.ts'
import { day_ms, shifted } from '../schema/timestamps.ts'
import { changeInvoice } from './change-invoice.ts'
import { decideInvoice } from './invoice-machine.ts'

/** Sends an invoice, or sends it again: that adds a link, and the earlier ones keep working. */
export const sendInvoice = action({
  input: byId.extend({ link_days: z.int().min(1).max(3_650).optional() }),
  run: (unit, { id, link_days }) =>
    changeInvoice(unit, id, (found) =>
      decideInvoice(found, 'send', unit.now).map((sent) => {
        const { ids, now } = unit
        const expires_at = link_days === undefined ? null : shifted(now, link_days * day_ms)
        const link = { id: ids.secret(12), created_at: now, expires_at, revoked_at: null }
        return { ...sent, links: [...sent.links, link] }
      }),
    ),
})
