import { type Caller, iso } from '@quittance/core'
import { accepted, confirmedSession, freshKey } from './requests.ts'
import type { Sandbox } from './sandbox.ts'

interface RefundOptions {
  payment: string
  amount?: number
  reason?: string
  metadata?: Record<string, string>
  idempotency_key?: string
}

/** Refunds a payment, or a part of it. */
export async function refund({ engine, caller }: Sandbox, { idempotency_key, ...input }: RefundOptions) {
  return await engine.refunds.create(caller, input, { idempotency_key: idempotency_key ?? freshKey() })
}

/** The refund with this id as the API shows it now. */
export async function shownRefund({ engine, caller }: Sandbox, id: string) {
  return accepted(await engine.refunds.retrieve(caller, { id }))
}

let customers = 0

/** The id of a new customer. */
export async function newCustomer({ engine, scope }: Sandbox): Promise<string> {
  customers += 1
  const contact = { name: 'Grace', email: 'grace@example.com', phone: '+1 555 0100' }
  return accepted(await engine.admin.customers.create(scope, { reference: `buyer ${customers}`, ...contact }))
    .id
}

interface InvoiceOptions {
  customer?: string
  number?: string | null
  external_id?: string | null
  currency?: 'USD' | 'CAD'
  total?: number
  invoice_date?: string
  due_date?: string
  early_payment_discount?: { amount: number; until: string }
}

/** The id of a draft for 10.00 USD, due at the end of February 2026. */
export async function draftedInvoice(sandbox: Sandbox, options: InvoiceOptions = {}): Promise<string> {
  const { engine, scope } = sandbox
  const customer = options.customer ?? (await newCustomer(sandbox))
  const terms = { currency: 'USD' as const, total: 1000, invoice_date: '2026-01-31', due_date: '2026-02-28' }
  return accepted(await engine.admin.invoices.draft(scope, { ...terms, ...options, customer })).id
}

/** An invoice that was sent, and can be paid. */
export async function sentInvoice(sandbox: Sandbox, options: InvoiceOptions & { link_days?: number } = {}) {
  const { link_days, ...terms } = options
  const id = await draftedInvoice(sandbox, terms)
  const { engine, scope } = sandbox
  const expiry = link_days === undefined ? {} : { link_days }
  return accepted(await engine.admin.invoices.send(scope, { id, ...expiry }))
}

/** The invoice with this id as the API shows it now. */
export async function shownInvoice({ engine, caller }: Sandbox, id: string) {
  return accepted(await engine.invoices.retrieve(caller, { id }))
}

/** Pays a part of an invoice through the API. */
export async function payInvoice(
  sandbox: Sandbox,
  token: string,
  { invoice, amount }: { invoice: string; amount: number },
) {
  const { engine, caller } = sandbox
  const { id } = await confirmedSession(sandbox, token, { amount })
  const input = { amount, currency: 'USD' as const, payment_method_session: id, invoice }
  return await engine.payments.create(caller, input, { idempotency_key: freshKey() })
}

/** Pays all that is due on an invoice on its hosted page. `amount` is what the payer saw there. */
export async function payInvoiceOnPage(
  sandbox: Sandbox,
  token: string,
  { invoice, amount }: { invoice: string; amount: number },
) {
  const { id } = await confirmedSession(sandbox, token, { amount })
  const input = { id: invoice, payment_method_session: id, amount }
  return await sandbox.engine.invoices.pay(payerOf(sandbox), input)
}

/** The caller with which a hosted page calls the engine. */
export function payerOf({ caller }: Pick<Sandbox, 'caller'>): Caller {
  return { ...caller, key: 'page', scopes: [] }
}

type CheckoutInput = Parameters<Sandbox['engine']['checkout_sessions']['create']>[1]

/** Where a page sends its payer. */
export const shop_urls = {
  success_url: 'https://shop.example.com/thanks',
  cancel_url: 'https://shop.example.com/cart',
}

/** An open checkout session for 10.00 USD. */
export async function openCheckout({ engine, caller }: Sandbox, input: Partial<CheckoutInput> = {}) {
  return accepted(
    await engine.checkout_sessions.create(caller, { amount: 1000, currency: 'USD', ...shop_urls, ...input }),
  )
}

/** The checkout session with this id as the API shows it now. */
export async function shownCheckout({ engine, caller }: Sandbox, id: string) {
  return accepted(await engine.checkout_sessions.retrieve(caller, { id }))
}

/** Pays a checkout session the way its hosted page does, and resolves to the payment. */
export async function payCheckout(
  sandbox: Sandbox,
  token: string,
  { id, idempotency_key }: { id: string; idempotency_key?: string },
) {
  const { amount } = await shownCheckout(sandbox, id)
  const { id: payment_method_session } = await confirmedSession(sandbox, token, { amount })
  const options = idempotency_key === undefined ? {} : { idempotency_key }
  return await sandbox.engine.checkout_sessions.pay(payerOf(sandbox), { id, payment_method_session }, options)
}

/** The response of `POST /test-helpers/checkout-sessions/{id}/pay`. */
export async function payByHelper({ engine, caller }: Sandbox, input: { id: string; token: string }) {
  return helpersOf(engine).payCheckoutSession(caller, input)
}

/** Lets time pass the way `POST /test-helpers/clock/advance` does. */
export async function advance({ engine, caller }: Sandbox, seconds: number): Promise<string> {
  accepted(await helpersOf(engine).advanceClock(caller, { seconds }))
  return iso(engine.clock.now())
}

export function helpersOf({ testHelpers }: Sandbox['engine']) {
  if (testHelpers === null) throw new Error('the sandbox was opened without test helpers')
  return testHelpers
}

/** The events of an object, oldest first. */
export async function eventsOf({ engine, caller }: Sandbox, id: string) {
  const { data } = accepted(await engine.events.list(caller, { limit: 100 }))
  return data.filter((event) => event.data.object.id === id).reverse()
}

/** The types of an object's events, oldest first. */
export async function eventTypesOf(sandbox: Sandbox, id: string): Promise<string[]> {
  return (await eventsOf(sandbox, id)).map(({ type }) => type)
}
