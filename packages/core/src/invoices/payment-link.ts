import type { Circumstances } from '../kernel/operation.ts'
import type { Secrets } from '../kernel/secrets.ts'
import type { InvoiceRow, PaymentLink } from './invoice.ts'
import { amountDue } from './invoice-machine.ts'

/** Whether a link still leads to the page. */
export function isLinkUsable({ expires_at, revoked_at }: PaymentLink, now: string): boolean {
  return revoked_at === null && (expires_at === null || now < expires_at)
}

/** The address of the newest link that works, while there is something to pay. */
export function paymentUrl(
  invoice: InvoiceRow,
  { now, secrets, public_url }: Pick<Circumstances, 'now' | 'secrets' | 'public_url'>,
): string | null {
  if (amountDue(invoice) === 0) return null
  const link = invoice.links.findLast((candidate) => isLinkUsable(candidate, now))
  return link ? linkUrl(secrets, public_url, { invoice, link: link.id }) : null
}

function linkUrl(
  secrets: Secrets,
  public_url: string,
  { invoice, link }: { invoice: InvoiceRow; link: string },
): string {
  const { workspace, livemode, id } = invoice
  return `${public_url}/pay/${secrets.pageToken('invoice', { workspace, livemode, id: `${id}/${link}` })}`
}
