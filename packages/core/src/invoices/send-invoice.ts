import { z } from 'zod'
import { action } from '../kernel/action.ts'
import { byId } from '../schema/ids.ts'
import { day_ms, shifted } from '../schema/timestamps.ts'
import { changeInvoice } from './change-invoice.ts'
import { decideInvoice } from './invoice-machine.ts'
import { newPaymentLink } from './payment-link.ts'

/** Sends an invoice, or sends it again: that adds a link, and the earlier ones keep working. */
export const sendInvoice = action({
  input: byId.extend({ link_days: z.int().min(1).max(3_650).optional() }),
  run: (unit, { id, link_days }) =>
    changeInvoice(unit, id, (found) =>
      decideInvoice(found, 'send', unit.now).map((sent) => {
        const expires_at = link_days === undefined ? null : shifted(unit.now, link_days * day_ms)
        return { ...sent, links: [...sent.links, newPaymentLink(unit, expires_at)] }
      }),
    ),
})
