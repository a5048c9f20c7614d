import type { Context } from '../kernel/operation.ts'
import type { InvoiceRow, PaymentLink } from './invoice.ts'
import { amountDue } from './invoice-machine.ts'

/** A link that works until `expires_at`; null: until it is revoked. */
export function newPaymentLink(
  { ids, now }: Pick<Context, 'ids' | 'now'>,
  expires_at: string | null,
): PaymentLink {
  return { id: ids.secret(12), created_at: now, expires_at, revoked_at: null }
}

/** Whether a link still leads to the page. */
export function isLinkUsable({ expires_at, revoked_at }: PaymentLink, now: string): boolean {
  return revoked_at === null && (expires_at === null || now < expires_at)
}

/** The address of the newest link that works, while there is something to pay. */
export function paymentUrl(
  invoice: InvoiceRow,
  { now, secrets, public_url }: Pick<Context, 'now' | 'secrets' | 'public_url'>,
): string | null {
  if (amountDue(invoice) === 0) return null
  const link = invoice.links.findLast((candidate) => isLinkUsable(candidate, now))
  if (!link) return null
  const token = secrets.pageToken('invoice', { ...invoice, id: `${invoice.id}/${link.id}` })
  return `${public_url}/pay/${token}`
}
