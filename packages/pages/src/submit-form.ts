import { type DomainError, type Result, statusOf } from '@quittance/core'
import { checkoutState, outcomeAddress } from './checkout-page.ts'
import { type PayerForm, readForm, typedIn } from './form.ts'
import { headerOf, type PageResponse } from './message.ts'
import { refusalOf } from './refusals.ts'
import { isSameOrigin } from './same-origin.ts'
import { deadLink, type HostedPage, openPage, plainPage, showPage, stillPaying, type Visit } from './visit.ts'

/**
 * Handles a payer's form. If it has paid, the response redirects to the page itself, which then sends the payer on: the
 * page's policy on forms would block a redirect to the merchant.
 */
export async function submitForm(visit: Visit, page: HostedPage): Promise<PageResponse> {
  const { engine, request, takeTurn } = visit
  if (!isSameOrigin(request, new URL(engine.publicUrl).origin)) {
    return plainPage(visit, 403, { heading: 'foreign_form', text: 'foreign_form_text' })
  }
  const read = readForm(request)
  if (read.isErr()) return showPage(visit, page, read.error)
  const form = read.value
  const first = visit.paying.get(keyOf(page, form))
  if (first) return answerTo(visit, page, { form, paid: await first })
  if (!isPayable(page)) return notTaken(visit, page)
  const typed = typedIn(form)
  if (isOutdated(page, form)) return showPage(visit, page, { status: 409, refused: 'amount_changed', typed })
  const wait_s = await takeTurn(page.of.id)
  if (wait_s !== null) {
    const shown = showPage(visit, page, { status: 429, refused: 'too_many_attempts', typed })
    return { ...shown, headers: { ...shown.headers, 'retry-after': String(wait_s) } }
  }
  return answerTo(visit, page, { form, paid: await payOnce(visit, page, form) })
}

/**
 * Two clicks on one button are one payment: the browser drops the first response and gets it again with the second. Elements
 * make a token for each click, so the form's own key decides. Another card that is sent meanwhile is charged nothing, and
 * its payer is told what became of the first.
 */
function keyOf(page: HostedPage, { idempotency_key }: PayerForm): string {
  return JSON.stringify([page.kind, page.of.id, idempotency_key])
}

async function payOnce(
  { engine, request, paying }: Visit,
  page: HostedPage,
  form: PayerForm,
): Promise<Result<null, DomainError>> {
  const sending = keyOf(page, form)
  const under_way = paying.get(sending)
  if (under_way) return under_way
  const user_agent = headerOf(request, 'user-agent') ?? null
  const payment = { ...form, ip_address: request.remote_address, user_agent }
  const paid = engine.pages.pay(page, payment).finally(() => paying.delete(sending))
  paying.set(sending, paid)
  return paid
}

async function answerTo(
  visit: Visit,
  page: HostedPage,
  { form, paid }: { form: PayerForm; paid: Result<null, DomainError> },
): Promise<PageResponse> {
  return paid.isErr() ? refused(visit, form, paid.error) : whatBecameOfIt(visit, page)
}

/** This form paid nothing, but another one may have: the page is read again. */
async function refused(visit: Visit, form: PayerForm, error: DomainError): Promise<PageResponse> {
  if (error.code === 'idempotency_key_in_flight') return stillPaying(visit)
  const page = await openPage(visit)
  if (page === null || page === 'revoked' || !isPayable(page))
    return error.code === 'internal_error' ? whatBecameOfIt(visit, page) : notTaken(visit, page)
  const outdated = error.code === 'conflict' && isOutdated(page, form)
  const in_the_clear = error.code === 'card_not_tokenized' || error.code === 'bank_account_not_tokenized'
  return showPage(visit, page, {
    status: statusOf(error.code),
    refused: outdated ? 'amount_changed' : refusalOf(error, visit.token_fields.tokens),
    typed: in_the_clear ? null : typedIn(form),
  })
}

/** What became of a page that cannot be paid and, if that does not imply it, that this form charged nothing. */
function notTaken(visit: Visit, page: HostedPage | 'revoked' | null): PageResponse {
  if (page === 'revoked') return deadLink(visit)
  const canceled = page?.kind === 'invoice' && page.invoice.status === 'canceled'
  return canceled
    ? showPage(visit, page, { status: 409, refused: 'not_charged_now' })
    : whatBecameOfIt(visit, page)
}

/** Redirects to the page itself, which shows its state. A page that was paid meanwhile sends this payer on, too. */
function whatBecameOfIt({ path }: Visit, page: HostedPage | 'revoked' | null): PageResponse {
  const checkout = page !== null && page !== 'revoked' && page.kind === 'checkout_session'
  return { status: 303, headers: { location: checkout ? outcomeAddress(path, page) : path }, body: '' }
}

function isPayable(page: HostedPage): boolean {
  return page.kind === 'invoice' ? page.payable > 0 : checkoutState(page) === 'open'
}

/** The amount that was shown is the one that is paid, or none is. */
function isOutdated(page: HostedPage, { amount }: PayerForm): boolean {
  return amount !== (page.kind === 'invoice' ? page.payable : page.session.amount)
}
