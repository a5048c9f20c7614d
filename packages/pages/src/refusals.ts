import type { DomainError, TokenSource } from '@quittance/core'
import type { TextName } from './texts/en.ts'

/** Why a payment was refused, in words for the payer. What they typed is not in it. */
export function refusalOf({ code, param, extra }: DomainError, tokens: TokenSource): TextName {
  switch (code) {
    case 'card_declined':
      return declineOf(extra?.decline_code)
    case 'card_verification_failed':
      return 'card_unverified'
    case 'card_expired':
      return 'card_expired'
    case 'bank_account_verification_failed':
      return 'bank_account_unverified'
    case 'card_not_tokenized':
    case 'bank_account_not_tokenized':
      return tokens === 'typed' ? 'number_in_the_clear' : 'check_details'
    case 'ach_authorization_required':
      return 'authorization_required'
    case 'ach_terms_version_unsupported':
      return 'authorization_changed'
    case 'payment_provider_not_configured':
      return 'not_set_up'
    case 'parameter_invalid':
      return tokens === 'typed' && param?.endsWith('.token') ? 'no_such_token' : 'check_details'
    case 'idempotency_key_reused':
      return 'sent_before'
    case 'internal_error':
      return 'unsure'
    default:
      return 'not_paid'
  }
}

function declineOf(decline_code: string | undefined): TextName {
  switch (decline_code) {
    case 'processing_error':
      return 'unreachable'
    case 'insufficient_funds':
      return 'insufficient_funds'
    default:
      return 'card_declined'
  }
}
