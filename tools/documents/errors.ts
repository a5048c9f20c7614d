import { catalogue, type ErrorCode, operationNamed, operationNames } from '@quittance/core'
import { headOf, table } from './markdown.ts'

/**
 * Codes that no operation lists because they are answered before it runs: by the key, the limits, the
 * idempotency of a request, its body, or a fault.
 */
const before_operations: Partial<Record<ErrorCode, string>> = {
  parameter_invalid: 'any that takes parameters',
  idempotency_key_invalid: 'any `POST`',
  idempotency_key_reused: 'any `POST`',
  idempotency_key_in_flight: 'any `POST`',
  card_not_tokenized: 'any that collects payment details',
  bank_account_not_tokenized: 'any that collects payment details',
  idempotency_key_required: 'any that needs a key',
  client_secret_missing: 'the browser endpoints',
  invalid_client_secret: 'the browser endpoints',
  api_key_environment_mismatch: 'the browser endpoints, and a mount for one environment',
  api_key_missing: 'any',
  invalid_api_key: 'any',
  publishable_key_not_allowed: 'any that is not for the browser',
  insufficient_scope: 'any that needs a scope',
  developer_integrations_disabled: 'any',
  refunds_disabled: '`refunds.create`',
  resource_missing: 'an unknown path',
  rate_limit_exceeded: 'any',
  internal_error: 'any',
}

/** The catalogue of errors, with who answers each. */
export function errorsDocument(): string {
  const head = headOf(
    'Errors',
    'Every code this API answers. Match on `type` and `code`; messages may change.',
  )
  const codes = Object.keys(catalogue) as ErrorCode[]
  const rows = codes.map((code) => {
    const [status, type, message] = catalogue[code]
    return [String(status), `\`${type}\``, `\`${code}\``, message, answeredBy(code)]
  })
  return `${head}\n${table(['Status', 'Type', 'Code', 'Message', 'Answered by'], rows)}\n`
}

/** Codes that nothing answers: a sign of an operation that is missing, or of a code too many. */
export function unansweredCodes(): ErrorCode[] {
  return (Object.keys(catalogue) as ErrorCode[]).filter((code) => answeredBy(code) === '')
}

function answeredBy(code: ErrorCode): string {
  const listing = operationNames.filter((name) => operationNamed(name).errors.includes(code))
  const general = before_operations[code]
  return [...(general === undefined ? [] : [general]), ...listing.map((name) => `\`${name}\``)].join(', ')
}
