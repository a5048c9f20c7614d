import type { CheckoutPage, DomainError, Engine, InvoicePage, Result } from '@quittance/core'
import { checkoutSheet } from './checkout-page.ts'
import { type Html, html } from './html.ts'
import { invoiceSheet } from './invoice-page.ts'
import type { Language } from './language.ts'
import { layout, type Sheet } from './layout.ts'
import type { PageRequest, PageResponse } from './message.ts'
import type { Showing } from './payment-form.ts'
import { contentSecurityPolicy } from './policy.ts'
import type { TextName } from './texts/en.ts'
import type { TokenFields } from './token-fields.ts'

export type PagesEngine = Pick<Engine, 'pages' | 'publicUrl' | 'ids' | 'logger'>
export type HostedPage = CheckoutPage | InvoicePage

/** One request for a page. */
export interface Visit {
  engine: PagesEngine
  request: PageRequest
  language: Language
  token_fields: TokenFields
  takeTurn: (page: string) => Promise<number | null>
  kind: HostedPage['kind']
  token: string
  path: string
  /** The payer has just paid with this page's own form, which led back here. */
  just_paid: boolean
  /** The payment in flight whose outcome the payer waits for, if one is named. */
  outcome_of: string | undefined
  /** The payments under way in this process, by page and form key. */
  paying: Map<string, Promise<Result<null, DomainError>>>
}

/** A token has only one spelling: otherwise, other spellings would be a way around the limit of a page. */
export async function openPage({
  engine,
  kind,
  token,
  token_fields: { tokens },
  outcome_of,
}: Visit): Promise<HostedPage | 'revoked' | null> {
  if (!/^[\w-]+\.[\w-]+$/.test(token)) return null
  return kind === 'invoice'
    ? engine.pages.invoice(token, tokens)
    : engine.pages.checkout(token, tokens, outcome_of)
}

/** The page in its present state, with a form of its own where it can be paid. */
export function showPage(
  { engine, request, path, just_paid, language, token_fields }: Visit,
  page: HostedPage,
  { status = 200, refused = null, typed = null }: Partial<Shown> = {},
): PageResponse {
  const showing = { language, token_fields, path, form_key: engine.ids.secret(24), refused, typed }
  const sheet =
    page.kind === 'invoice' ? invoiceSheet(page, showing) : checkoutSheet(page, { ...showing, just_paid })
  if (page.collects.length === 0 || !('ways_to_pay' in sheet)) return sent(status, sheet, language)
  const script = token_fields.script(request.method === 'POST' || just_paid)
  const headers = { 'content-security-policy': contentSecurityPolicy(token_fields.loads) }
  return { ...sent(status, { ...sheet, script }, language), headers }
}

type Shown = Pick<Showing, 'refused' | 'typed'> & { status: number }

/** A page that shows nothing of the merchant. */
export function plainPage(
  { language }: Pick<Visit, 'language'>,
  status: number,
  { heading, text, action = null }: { heading: TextName; text: TextName; action?: Html | null },
): PageResponse {
  const { texts } = language
  const state = { tone: 'plain', icon: status === 409 ? 'waiting' : 'over', text: texts[text] } as const
  const title = texts[heading]
  const sheet = { title, heading: title, merchant: null, sandbox: false, subject: null, state, action }
  return sent(status, sheet, language)
}

/** A form sent through a link that no longer works charged nothing. What an earlier form did, the page can no longer say. */
export function deadLink(visit: Visit): PageResponse {
  const sent = visit.request.method === 'POST'
  return plainPage(visit, 410, {
    heading: 'dead_link',
    text: sent ? 'dead_link_not_charged_text' : 'dead_link_text',
  })
}

/** For a form whose first submission is still being handled, by another process. */
export function stillPaying(visit: Visit): PageResponse {
  const onward = visit.kind === 'checkout_session' ? `${visit.path}?paid` : visit.path
  const action = html`<a class="button" href="${onward}">${visit.language.texts.check_again}</a>`
  return plainPage(visit, 409, { heading: 'in_flight', text: 'in_flight_text', action })
}

function sent(status: number, sheet: Sheet, language: Language): PageResponse {
  return { status, headers: {}, body: layout(sheet, language) }
}
