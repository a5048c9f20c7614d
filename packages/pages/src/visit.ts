import type { CheckoutPage, DomainError, Engine, InvoicePage, Result } from '@quittance/core'
import { checkoutSheet } from './checkout-page.ts'
import { type Html, html } from './html.ts'
import { invoiceSheet } from './invoice-page.ts'
import { layout, notice, type Sheet } from './layout.ts'
import type { PageRequest, PageResponse } from './message.ts'
import type { Showing } from './payment-form.ts'

export type PagesEngine = Pick<Engine, 'pages' | 'publicUrl' | 'ids' | 'logger'>
export type HostedPage = CheckoutPage | InvoicePage

/** One request for a page. */
export interface Visit {
  engine: PagesEngine
  request: PageRequest
  takeTurn: (page: string) => Promise<number | null>
  kind: HostedPage['kind']
  token: string
  path: string
  /** The payer was sent here by the form of this very page, having paid. */
  just_paid: boolean
  /** The payments under way in this process, by page and form. */
  paying: Map<string, Promise<Result<null, DomainError>>>
}

/** Our tokens have one spelling: another one is no token, and no way around the limit of a page. */
export async function openPage({ engine, kind, token }: Visit): Promise<HostedPage | 'revoked' | null> {
  if (!/^[\w-]+\.[\w-]+$/.test(token)) return null
  return kind === 'invoice' ? engine.pages.invoice(token) : engine.pages.checkout(token)
}

/** The page in its present state, with a form of its own where it can be paid. */
export function showPage(
  { engine, path, just_paid }: Visit,
  page: HostedPage,
  { status = 200, refused = null, typed = null }: Partial<Shown> = {},
): PageResponse {
  const showing = { path, form_key: engine.ids.secret(24), refused, typed }
  return page.kind === 'invoice'
    ? sent(status, invoiceSheet(page, showing))
    : sent(status, checkoutSheet(page, { ...showing, just_paid }))
}

type Shown = Pick<Showing, 'refused' | 'typed'> & { status: number }

/** A page that shows nothing of the merchant's. */
export function plainPage(
  status: number,
  { heading, text, action = null }: { heading: string; text: string; action?: Html | null },
): PageResponse {
  const content = [notice('plain', text), action]
  return sent(status, { title: heading, merchant: null, sandbox: false, heading, content })
}

/** For a form whose first sending is still being worked on, by another process. */
export function stillPaying({ path }: Visit): PageResponse {
  return plainPage(409, {
    heading: 'Your payment is being processed',
    text: 'We are waiting to hear what became of it. You need not pay again.',
    action: html`<a class="button" href="${path}">Check again</a>`,
  })
}

function sent(status: number, sheet: Sheet): PageResponse {
  return { status, headers: {}, body: layout(sheet) }
}
