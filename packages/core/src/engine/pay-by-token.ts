import { z } from 'zod'
import { keyScopes } from '../api-keys/api-key.ts'
import type { CheckoutSession } from '../checkout-sessions/checkout-session.ts'
import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Caller } from '../kernel/operation.ts'
import { err, type Result } from '../kernel/result.ts'
import { current_ach_terms_version } from '../payment-method-sessions/ach-terms.ts'
import type { Api } from './api.ts'
import { collectOnPage } from './collect-on-page.ts'
import { parseInput } from './parameters.ts'

const payInput = z.strictObject({ id: z.string(), token: z.string().min(1).max(255) })

/**
 * Pays an open checkout session as its hosted page does, with the card or account of a token. After a declined card
 * the answer is the session, still open.
 */
export async function payByToken(
  api: Api,
  asked_by: Caller,
  input: unknown,
): Promise<Result<CheckoutSession, DomainError>> {
  const parsed = parseInput(payInput, input)
  if (parsed.isErr()) return err(parsed.error)
  const { id, token } = parsed.value
  const server: Caller = { ...asked_by, scopes: keyScopes }
  const page: Caller = { ...asked_by, key: 'page', scopes: [] }

  const found = await api.checkout_sessions.retrieve(server, { id })
  if (found.isErr()) return err(found.error)
  if (found.value.status !== 'open') return fail('conflict')
  const given = {
    type: token.startsWith('btok_') ? ('us_bank_account' as const) : ('card' as const),
    token,
    billing_details: { name: 'Test Payer', postal_code: '94107' },
    ach_authorization: { accepted: true, terms_version: current_ach_terms_version },
    amount: found.value.amount,
    keyed: () => ({}),
  }
  const collected = await collectOnPage(api, page, given)
  if (collected.isErr()) return err(ofToken(collected.error))
  const paid = await api.checkout_sessions.pay(page, { id, payment_method_session: collected.value })
  if (paid.isErr() && paid.error.extra?.payment === undefined) return err(ofToken(paid.error))
  return api.checkout_sessions.retrieve(server, { id })
}

/** Blames `token`, the one parameter sent, for a fault in the card, account or session made from it. */
function ofToken(error: DomainError): DomainError {
  return error.param === undefined ? error : { ...error, param: 'token' }
}
