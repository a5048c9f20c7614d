import type { CheckoutSession } from '../checkout-sessions/checkout-session.ts'
import { asOf } from '../checkout-sessions/checkout-session-machine.ts'
import { showCheckoutSession } from '../checkout-sessions/show-checkout-session.ts'
import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Invoice, InvoiceRow } from '../invoices/invoice.ts'
import { discountToday } from '../invoices/invoice-machine.ts'
import { isLinkUsable } from '../invoices/payment-link.ts'
import { showInvoice } from '../invoices/show-invoice.ts'
import type { Caller, Context } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import type { PageOf } from '../kernel/secrets.ts'
import { ach_terms, current_ach_terms_version } from '../payment-method-sessions/ach-terms.ts'
import { type PaymentMethodType, typesFor } from '../payment-methods/payment-method.ts'
import type { PaymentStatus } from '../payments/payment.ts'
import { isSandboxProcessor } from '../ports/sandbox.ts'
import { findWorkspace } from '../workspaces/find-workspace.ts'
import type { WorkspaceRow } from '../workspaces/workspace.ts'
import type { Api } from './api.ts'
import { type Collected, collectOnPage } from './collect-on-page.ts'
import { hashedKey } from './idempotency/key-decisions.ts'
import type { Services } from './services.ts'
import { contextOf } from './unit-of-work/unit-of-work.ts'

/** What every hosted page shows: whose it is, and how it can be paid. */
interface HostedPage {
  of: PageOf
  workspace: WorkspaceRow
  /** The payment method types that the page can collect; empty if nothing there can turn details into tokens. */
  collects: readonly PaymentMethodType[]
  /** The authorization that a bank account's holder accepts for the amount shown; null if no debit can be made. */
  ach_terms: { terms_version: string; text: string } | null
}

export interface CheckoutPage extends HostedPage {
  kind: 'checkout_session'
  session: CheckoutSession
  /** The payment in flight: nobody else can pay until its outcome is known. */
  paying: string | null
  /** Whether the payment asked about (`outcome_of`) was made on this page, and took no money. */
  came_to_nothing: boolean
  /** The status of the payment that completed the session. */
  payment_status: PaymentStatus | null
}

export interface InvoicePage extends HostedPage {
  kind: 'invoice'
  invoice: Invoice
  written_off: number
  /** What the payer pays today: all that is due, less an early-payment discount. */
  payable: number
  /** An early-payment discount that is available today, or was taken. */
  discount: { amount: number; until: string; taken: boolean } | null
}

/** A payer's form. Each form shown has its own idempotency key, so that a second click does not pay twice. */
export interface PagePayment extends Collected {
  idempotency_key: string
  /** What the payer saw and agreed to. */
  amount: number
  /** Recorded with an ACH authorization. */
  ip_address: string | null
  user_agent: string | null
}

/**
 * Where tokens of cards and accounts come from: typed in by hand, which only the sandbox's own tokens can be, or made
 * by Elements from what a payer enters, for the listed types.
 */
export type TokenSource = 'typed' | readonly PaymentMethodType[]

/** What the hosted pages ask of the engine. The token in a page's address proves itself, so no API key is needed. */
export interface EnginePages {
  /** The page behind an address's token; null if this engine did not make the token. `outcome_of`: see `came_to_nothing`. */
  checkout(token: string, tokens?: TokenSource, outcome_of?: string): Promise<CheckoutPage | null>
  /** The same for an invoice; `revoked` if the link was revoked or has expired. */
  invoice(token: string, tokens?: TokenSource): Promise<InvoicePage | 'revoked' | null>
  /** Collects the card or account of the payment's token and pays with it. Read the page again for the outcome. */
  pay(page: CheckoutPage | InvoicePage, payment: PagePayment): Promise<Result<null, DomainError>>
}

export function createPages(services: Services, api: Api): EnginePages {
  return {
    async checkout(token, tokens = 'typed', outcome_of) {
      const of = services.secrets.openPageToken('checkout_session', token)
      return of && openCheckout(services, of, { tokens, outcome_of })
    },
    async invoice(token, tokens = 'typed') {
      const of = services.secrets.openPageToken('invoice', token)
      return of && openInvoice(services, of, tokens)
    },
    pay: (page, payment) => pay(api, page, payment),
  }
}

async function openCheckout(
  services: Services,
  of: PageOf,
  { tokens, outcome_of }: { tokens: TokenSource; outcome_of: string | undefined },
): Promise<CheckoutPage | null> {
  const { id, ...scope } = of
  const workspace = await findWorkspace(services.store, of.workspace)
  const context = contextOf(services, scope)
  return services.store.read(scope, async (rows) => {
    const found = await rows.checkout_sessions.get(id)
    if (!found || !workspace) return null
    const row = asOf(found, context.now)
    const paid = row.payment === null ? undefined : await rows.payments.get(row.payment)
    const tried = outcome_of === undefined ? undefined : await rows.payments.get(outcome_of)
    const { amount, payment_method_types: types } = row
    return {
      kind: 'checkout_session',
      of,
      workspace,
      ...collecting(context, { amount, types, tokens }),
      session: showCheckoutSession(row, context),
      paying: row.paying,
      came_to_nothing:
        tried?.checkout_session === id && (tried.status === 'failed' || tried.status === 'canceled'),
      payment_status: paid?.status ?? null,
    }
  })
}

/** An invoice's token names the invoice and the one of its links that the payer holds. */
async function openInvoice(
  services: Services,
  of: PageOf,
  tokens: TokenSource,
): Promise<InvoicePage | 'revoked' | null> {
  const { id: invoice_and_link, ...scope } = of
  const [id = '', link_id] = invoice_and_link.split('/')
  const workspace = await findWorkspace(services.store, of.workspace)
  const context = contextOf(services, scope)
  return services.store.read(scope, async (rows) => {
    const row = await rows.invoices.get(id)
    const link = row?.links.find((one) => one.id === link_id)
    if (!row || !link || !workspace) return null
    if (!isLinkUsable(link, context.now)) return 'revoked'
    const invoice = showInvoice(row, context)
    const payable = invoice.amount_due - discountToday(row, context.now)
    return {
      kind: 'invoice',
      of: { ...of, id },
      workspace,
      ...collecting(context, { amount: payable, types: typesFor(row.currency), tokens }),
      invoice,
      written_off: row.written_off,
      payable,
      discount: discountShown(row, context.now),
    }
  })
}

function discountShown(row: InvoiceRow, now: string): InvoicePage['discount'] {
  const discount = row.early_payment_discount
  const taken = discount !== null && discount.taken_by !== null
  if (discount === null || (!taken && discountToday(row, now) === 0)) return null
  return { amount: discount.amount, until: discount.until, taken }
}

/** Only the sandbox's own tokens may be typed into a form, never real card data. */
function collecting(
  { processor, scope: { livemode } }: Context,
  { amount, types, tokens }: { amount: number; types: readonly PaymentMethodType[]; tokens: TokenSource },
): Pick<HostedPage, 'collects' | 'ach_terms'> {
  const charged = processor?.types ?? []
  const typed = !livemode && isSandboxProcessor(processor) ? charged : []
  const collected = tokens === 'typed' ? typed : tokens
  const collects = types.filter((type) => charged.includes(type) && collected.includes(type))
  const terms_version = current_ach_terms_version
  if (!collects.includes('us_bank_account')) return { collects, ach_terms: null }
  return { collects, ach_terms: { terms_version, text: ach_terms[terms_version]({ amount }) } }
}

async function pay(
  api: Api,
  { kind, of: { id, livemode }, workspace, collects }: CheckoutPage | InvoicePage,
  payment: PagePayment,
): Promise<Result<null, DomainError>> {
  // All payers of the page would share the empty key, and one would be told that another's payment is theirs.
  if (!payment.idempotency_key) return fail('idempotency_key_required')
  // Whatever the form says, a live processor must never get what was typed into it.
  if (!collects.includes(payment.type)) return fail('payment_provider_not_configured')
  const { amount, ip_address, user_agent } = payment
  const payer: Caller = { workspace, livemode, key: 'page', scopes: [], ip_address, user_agent }
  const keyed = (step: string) => ({
    idempotency_key: hashedKey('page', `${kind} ${id} ${payment.idempotency_key} ${step}`),
  })
  const collected = await collectOnPage(api, payer, { ...payment, keyed })
  if (collected.isErr()) return err(collected.error)
  const input = { id, payment_method_session: collected.value }
  const paid =
    kind === 'invoice'
      ? await api.invoices.pay(payer, { ...input, amount }, keyed('pay'))
      : await api.checkout_sessions.pay(payer, input, keyed('pay'))
  return paid.isErr() ? err(paid.error) : ok(null)
}
