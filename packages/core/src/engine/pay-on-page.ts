import { z } from 'zod'
import { keyScopes } from '../api-keys/api-key.ts'
import type { CheckoutSession } from '../checkout-sessions/checkout-session.ts'
import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Caller } from '../kernel/operation.ts'
import { err, type Result } from '../kernel/result.ts'
import { current_ach_terms_version } from '../payment-method-sessions/ach-terms.ts'
import type { Api } from './api.ts'
import { parseInput } from './parameters.ts'

const payInput = z.strictObject({ id: z.string(), token: z.string().min(1).max(255) })

/**
 * Pays an open checkout session the way its hosted page does: collects the card or account of a token in a
 * payment method session, confirms it, and pays. A declined card leaves the page open, and is answered so.
 */
export async function payOnPage(
  api: Api,
  asked_by: Caller,
  input: unknown,
): Promise<Result<CheckoutSession, DomainError>> {
  const parsed = parseInput(payInput, input)
  if (parsed.isErr()) return err(parsed.error)
  const { id, token } = parsed.value
  const server: Caller = { ...asked_by, scopes: keyScopes }
  const browser: Caller = { ...asked_by, key: 'publishable', scopes: ['payment_methods:tokenize'] }
  const page: Caller = { ...asked_by, key: 'page', scopes: [] }

  const found = await api.checkout_sessions.retrieve(server, { id })
  if (found.isErr()) return err(found.error)
  if (found.value.status !== 'open') return fail('conflict')
  const { amount } = found.value
  const bank = token.startsWith('btok_')
  const collected = await api.payment_method_sessions.create(
    server,
    bank ? { payment_method_types: ['us_bank_account'], amount, currency: 'USD' } : {},
  )
  if (collected.isErr()) return err(collected.error)
  const confirmed = await api.payment_method_sessions.confirm(browser, {
    id: collected.value.id,
    billing_details: { name: 'Test Payer', postal_code: '94107' },
    ...(bank
      ? {
          us_bank_account: { token },
          ach_authorization: { accepted: true, terms_version: current_ach_terms_version },
        }
      : { card: { token } }),
  })
  if (confirmed.isErr()) return err(confirmed.error)
  const paid = await api.checkout_sessions.pay(page, { id, payment_method_session: collected.value.id })
  if (paid.isErr() && paid.error.extra?.payment === undefined) return err(paid.error)
  return api.checkout_sessions.retrieve(server, { id })
}
