import type { z } from 'zod'
import { keyScopes } from '../api-keys/api-key.ts'
import type { DomainError } from '../errors/domain-error.ts'
import type { Caller } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import type { billingDetails, PaymentMethodType } from '../payment-methods/payment-method.ts'
import type { Api, CallOptions } from './api.ts'

/** What a payer gives on a hosted page: a token, with Elements also a live one, and never a number. */
export interface Collected {
  type: PaymentMethodType
  token: string
  billing_details: z.output<typeof billingDetails>
  /** With a bank account only. */
  ach_authorization?: { accepted: boolean; terms_version: string }
}

interface Collecting extends Collected {
  amount: number
  /** Gives the call options of each step, with its idempotency key if it has one. */
  keyed(step: 'collect' | 'confirm'): CallOptions
}

/**
 * Creates and confirms a payment method session for a payer, and returns its id. The method it yields can be
 * charged once: it is not saved for a customer, who has not been asked.
 */
export async function collectOnPage(
  api: Api,
  payer: Caller,
  { type, token, billing_details, ach_authorization, amount, keyed }: Collecting,
): Promise<Result<string, DomainError>> {
  const bank = type === 'us_bank_account'
  const server: Caller = { ...payer, key: 'secret', scopes: keyScopes }
  const browser: Caller = { ...payer, key: 'publishable', scopes: ['payment_methods:tokenize'] }
  const made = await api.payment_method_sessions.create(
    server,
    bank ? { payment_method_types: [type], amount, currency: 'USD' } : {},
    keyed('collect'),
  )
  if (made.isErr()) return err(made.error)
  const { id } = made.value
  const confirmed = await api.payment_method_sessions.confirm(
    browser,
    {
      id,
      billing_details,
      ...(bank ? { us_bank_account: { token } } : { card: { token } }),
      ...(bank && ach_authorization ? { ach_authorization } : {}),
    },
    keyed('confirm'),
  )
  return confirmed.isErr() ? err(confirmed.error) : ok(id)
}
