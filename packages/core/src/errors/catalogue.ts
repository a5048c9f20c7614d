/**
 * Every error of this API (specification: Errors). One row per code: the status and the type are the specification's; the
 * message is ours and may change, so clients must not match on it.
 */
export const catalogue = {
  parameter_invalid: [400, 'invalid_request_error', 'The request has an invalid parameter.'],
  idempotency_key_invalid: [
    400,
    'invalid_request_error',
    'Idempotency-Key must be sent once, as 1 to 255 printable ASCII characters without spaces.',
  ],
  payment_method_session_inactive: [
    400,
    'invalid_request_error',
    'This payment method session cannot be used: it is not confirmed or was confirmed too long ago, or it has expired or been canceled. Create a new one, or confirm this one if it is open.',
  ],
  payment_method_session_used: [
    400,
    'invalid_request_error',
    'This payment method session has already been used. Create a new one.',
  ],
  card_not_tokenized: [
    400,
    'invalid_request_error',
    'Card details must not reach this API. Collect them with Elements and send the token.',
  ],
  bank_account_not_tokenized: [
    400,
    'invalid_request_error',
    'Bank account details must not reach this API. Collect them with Elements and send the token.',
  ],
  ach_authorization_required: [
    400,
    'invalid_request_error',
    'The account holder has not accepted an ACH authorization. Collect the bank account again.',
  ],
  ach_terms_version_unsupported: [
    400,
    'invalid_request_error',
    'The accepted ACH authorization text is of a version this server does not define.',
  ],
  payment_provider_not_configured: [
    400,
    'invalid_request_error',
    'This workspace has no payment provider for that payment method type in this environment.',
  ],
  payment_method_unusable: [
    400,
    'invalid_request_error',
    'This payment method has been spent, has expired, has been detached, or is held by a charge whose outcome is not known yet.',
  ],
  webhook_endpoint_limit_reached: [
    400,
    'invalid_request_error',
    'Sixteen webhook endpoints already exist in this environment. Delete one first.',
  ],
  payment_not_refundable: [
    400,
    'invalid_request_error',
    'This payment cannot be refunded in its current state.',
  ],
  refund_amount_exceeds_balance: [
    400,
    'invalid_request_error',
    'The amount exceeds what is left to refund on this payment.',
  ],
  idempotency_key_required: [400, 'idempotency_error', 'This request needs an Idempotency-Key.'],
  idempotency_key_reused: [
    400,
    'idempotency_error',
    'This Idempotency-Key was sent with a different request. Use a new key for a new request.',
  ],
  card_expired: [400, 'card_error', "The card's expiry month has passed."],
  card_verification_failed: [402, 'card_error', 'The card could not be verified.'],
  bank_account_verification_failed: [402, 'card_error', 'The bank account could not be verified.'],
  card_declined: [402, 'card_error', 'The charge was declined.'],
  refund_failed: [402, 'card_error', 'The refund was refused.'],
  api_key_missing: [401, 'authentication_error', 'Send an API key as `Authorization: Bearer <API_KEY>`.'],
  invalid_api_key: [401, 'authentication_error', 'This API key does not exist or has been revoked.'],
  publishable_key_not_allowed: [
    401,
    'authentication_error',
    'This endpoint needs a secret key; a publishable key is for the browser.',
  ],
  api_key_environment_mismatch: [
    401,
    'authentication_error',
    'This API key belongs to the other environment.',
  ],
  client_secret_missing: [
    401,
    'authentication_error',
    "Send the session's client_secret in the query string.",
  ],
  invalid_client_secret: [401, 'authentication_error', 'This client_secret does not belong to the session.'],
  insufficient_scope: [403, 'permission_error', 'This API key lacks the scope this request needs.'],
  developer_integrations_disabled: [403, 'permission_error', 'The API is not enabled for this workspace.'],
  refunds_disabled: [403, 'permission_error', 'Refunds are switched off for this workspace.'],
  resource_missing: [404, 'invalid_request_error', 'There is no such resource.'],
  idempotency_key_in_flight: [
    409,
    'idempotency_error',
    'A request with this Idempotency-Key is still running. Retry shortly with the same key.',
  ],
  conflict: [409, 'api_error', 'The object changed or is busy. Read it back, then decide.'],
  refund_in_flight: [409, 'api_error', 'A refund of this payment is still pending.'],
  checkout_session_payment_in_flight: [
    409,
    'api_error',
    'The customer is paying on this checkout page. Retry once that payment has succeeded or failed.',
  ],
  rate_limit_exceeded: [429, 'rate_limit_error', 'Too many requests. Wait Retry-After seconds, then retry.'],
  internal_error: [500, 'api_error', 'Something went wrong on our side.'],
} as const satisfies Record<string, readonly [status: number, type: string, message: string]>

export type ErrorCode = keyof typeof catalogue
