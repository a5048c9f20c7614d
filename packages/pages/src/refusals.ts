import type { DomainError } from '@quittance/core'

/** Why a payment was refused, in words for the payer. What they typed is not in it. */
export function refusalText({ code, param, extra }: DomainError): string {
  switch (code) {
    case 'card_declined':
      return declineText(extra?.decline_code)
    case 'card_verification_failed':
      return 'Your card could not be verified. Nothing was charged. Check what you entered, or use another card.'
    case 'card_expired':
      return 'This card has expired. Nothing was charged. Please use another card.'
    case 'bank_account_verification_failed':
      return 'Your bank account could not be verified. Nothing was charged. Please use another account.'
    case 'card_not_tokenized':
    case 'bank_account_not_tokenized':
      return 'Please enter a sandbox token, never a card or account number. Nothing of it was kept.'
    case 'ach_authorization_required':
      return 'A bank account can be debited only if you accept the authorization.'
    case 'ach_terms_version_unsupported':
      return 'The authorization has changed. Please read it again.'
    case 'payment_provider_not_configured':
      return 'This way to pay is not set up here. Nothing was charged.'
    case 'parameter_invalid':
      return param?.endsWith('.token')
        ? 'There is no such sandbox token. Nothing was charged.'
        : 'Please check what you entered. Nothing was charged.'
    case 'idempotency_key_reused':
      return 'This form had been sent before with other details. If you still want to pay, please send it again.'
    case 'internal_error':
      return 'We could not reach the payment service. If this page still asks for a payment, nothing was charged: please try again.'
    default:
      return 'The payment could not be made. If this page still asks for it, nothing was charged: please try again.'
  }
}

function declineText(decline_code: string | undefined): string {
  switch (decline_code) {
    case 'processing_error':
      return 'The payment service could not be reached. Nothing was charged. Please try again.'
    case 'insufficient_funds':
      return 'Your card was declined: it has insufficient funds. Nothing was charged. Please use another card.'
    default:
      return 'Your card was declined. Nothing was charged. Please use another card, or try again.'
  }
}
