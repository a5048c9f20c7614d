import { createHash } from 'node:crypto'
import { type Answer, type OperationName, ok, type Result } from '@quittance/core'
import { browserOf, type Sandbox } from './sandbox.ts'

/** The value of a result that must not be a refusal. */
export function accepted<Value, Refusal extends { code: string }>(result: Result<Value, Refusal>): Value {
  if (result.isErr()) throw new Error(`refused with ${JSON.stringify(result.error)}`)
  return result.value
}

interface SessionOptions {
  customer?: string | undefined
  /** What a one-time bank debit authorizes; 1000 unless said otherwise. */
  amount?: number
}

/** Whether the token stands for a bank account: `btok_…`. */
export function isBankToken(token: string): boolean {
  if (typeof token !== 'string') throw new TypeError("A builder takes a token, such as 'tok_test_visa'.")
  return token.startsWith('btok_')
}

/** The input for a session that will collect the card or account of the token. */
export function opening(token: string, { customer, amount = 1000 }: SessionOptions) {
  const named = customer === undefined ? {} : { customer }
  if (!isBankToken(token)) return named
  const debit = customer === undefined ? { amount, currency: 'usd' as const } : {}
  const payment_method_types: ['us_bank_account'] = ['us_bank_account']
  return { payment_method_types, ...debit, ...named }
}

/** An open session that will collect the card or account of the token. */
export async function openSession({ engine, caller }: Sandbox, token: string, options: SessionOptions = {}) {
  return accepted(await engine.payment_method_sessions.create(caller, opening(token, options)))
}

/** What the browser sends to confirm a session with a token. */
export function confirmation(id: string, token: string) {
  const billing_details = { name: 'Ada Lovelace', postal_code: '94107' }
  if (!isBankToken(token)) return { id, card: { token }, billing_details }
  const ach_authorization = { accepted: true, terms_version: '2026-01' }
  return { id, us_bank_account: { token }, billing_details, ach_authorization }
}

/** A session that the browser has confirmed with the token. */
export async function confirmedSession(sandbox: Sandbox, token: string, options: SessionOptions = {}) {
  const { id } = await openSession(sandbox, token, options)
  const { engine, browser } = sandbox
  return accepted(await engine.payment_method_sessions.confirm(browser, confirmation(id, token)))
}

/** A method made from a confirmed session and not charged yet. */
export async function createdMethod(sandbox: Sandbox, token: string, options: SessionOptions = {}) {
  const { id } = await confirmedSession(sandbox, token, options)
  const { engine, caller } = sandbox
  return accepted(await engine.payment_methods.create(caller, { payment_method_session: id }))
}

let used = 0

/** An Idempotency-Key that no other test of this process uses. */
export function freshKey(): string {
  used += 1
  return `key-${used}`
}

/** Charges 10.00 USD, or `amount` cents, by a new session with the token. */
export async function pay(
  sandbox: Sandbox,
  token: string,
  { amount = 1000, idempotency_key = freshKey() }: { amount?: number; idempotency_key?: string } = {},
) {
  const { id } = await confirmedSession(sandbox, token, { amount })
  const { engine, caller } = sandbox
  const input = { amount, currency: 'usd' as const, payment_method_session: id }
  return await engine.payments.create(caller, input, { idempotency_key })
}

/** The payment with this id as the API shows it now. */
export async function shownPayment({ engine, caller }: Sandbox, id: string) {
  return accepted(await engine.payments.retrieve(caller, { id }))
}

let requests = 0

/** Sends one request the way a transport does, and resolves to the status and bytes of the response. */
export function send(
  { engine, caller }: Sandbox,
  operation: OperationName,
  { input, key }: { input: object; key?: string },
): Promise<Answer> {
  requests += 1
  const request_id = `req_${String(requests).padStart(24, '0')}`
  const fingerprint = createHash('sha256')
    .update(`${operation} ${JSON.stringify(input)}`)
    .digest('hex')
  const from_page = operation === 'payment_method_sessions.confirm'
  return engine.execute({
    operation,
    caller: from_page ? browserOf(caller) : caller,
    input: ok(input),
    request_id,
    idempotency_key: key,
    fingerprint,
  })
}
