import { catalogue, type ErrorCode, operationNamed } from '@quittance/core'
import type { Route } from '../routes.ts'
import { type Json, refTo } from './schemas.ts'

/** The codes that any route can return, whatever its operation. */
const everywhere: readonly ErrorCode[] = [
  'parameter_invalid',
  'api_key_missing',
  'invalid_api_key',
  'api_key_environment_mismatch',
  'developer_integrations_disabled',
  'rate_limit_exceeded',
  'internal_error',
]

/** Every code a route can return, in the order of the catalogue. */
function codesOf({ method, operation: name }: Route): ErrorCode[] {
  const operation = operationNamed(name)
  const { access, errors, refuses } = operation
  const codes = new Set<ErrorCode>([...everywhere, ...errors])
  const add = (...more: ErrorCode[]) => {
    for (const code of more) codes.add(code)
  }
  if (access.key === 'secret') add('publishable_key_not_allowed')
  else add('client_secret_missing', 'invalid_client_secret', 'resource_missing')
  if (!('scope' in access) || access.scope !== null) add('insufficient_scope')
  if (method === 'POST') add('idempotency_key_invalid', 'idempotency_key_reused', 'idempotency_key_in_flight')
  if (operation.kind === 'remote' && operation.idempotency_key === 'required') add('idempotency_key_required')
  if (refuses) add('card_not_tokenized', 'bank_account_not_tokenized')
  return (Object.keys(catalogue) as ErrorCode[]).filter((code) => codes.has(code))
}

const meanings: Record<number, string> = {
  400: 'The request is invalid, or the object is not in a state that allows it.',
  401: 'The key or the client secret is missing or wrong.',
  402: 'The processor refused.',
  403: 'The key or the workspace may not do this.',
  404: 'There is no such object in this workspace and environment.',
  409: 'Something else is under way with the same key or object.',
  429: 'Too many requests: wait, then retry.',
  500: 'An internal failure.',
}

/** The error responses of a route, by status. */
export function errorResponses(route: Route): Json {
  const codes = codesOf(route)
  const statuses = [...new Set(codes.map((code) => catalogue[code][0]))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const name = shared[status]
      if (name !== undefined) return [status, { $ref: `#/components/responses/${name}` }]
      const answered = codes.filter((code) => catalogue[code][0] === status)
      return [status, errorResponse(status, answered, { kept: route.method === 'POST' && areKept(answered) })]
    }),
  )
}

/** Statuses that mean the same on every route, with the name of their shared response. */
const shared: Partial<Record<number, string>> = { 429: 'RateLimited', 500: 'InternalError' }

/** `components.responses`. */
export function sharedResponses(): Json {
  return {
    RateLimited: errorResponse(429, ['rate_limit_exceeded']),
    InternalError: errorResponse(500, ['internal_error'], { kept: true }),
  }
}

/** Whether a response with one of these codes can be stored under an Idempotency-Key, and replayed. */
function areKept(codes: readonly ErrorCode[]): boolean {
  return codes.some((code) => {
    const [status, type] = catalogue[code]
    return ![401, 403, 429].includes(status) && type !== 'idempotency_error'
  })
}

function errorResponse(status: number, codes: readonly ErrorCode[], { kept = false } = {}): Json {
  const waits = codes.some((code) => code === 'rate_limit_exceeded' || code === 'idempotency_key_in_flight')
  // Only the code is narrowed, next to the other fields: some clients would keep the last of two schemas of `error`.
  const code = { type: 'object', properties: { code: { type: 'string', enum: codes } } }
  return {
    description: meanings[status] ?? 'Refused.',
    headers: {
      'Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(status === 401 ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } } : {}),
      ...(kept ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } } : {}),
      ...(waits ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
    },
    content: { 'application/json': { schema: errorBody({ allOf: [refTo('ErrorDetails'), code] }) } },
  }
}

function errorBody(error: Json): Json {
  return { type: 'object', properties: { error }, required: ['error'] }
}

/** The schemas of any error body and of what it holds. Some codes add further strings to `error`. */
export function errorSchemas(): Json {
  const lines = Object.entries(catalogue).map(
    ([code, [status, , message]]) => `- \`${code}\` (${status}): ${message}`,
  )
  const properties = {
    type: { type: 'string', enum: [...new Set(Object.values(catalogue).map(([, type]) => type))] },
    code: { type: 'string', enum: Object.keys(catalogue), description: lines.join('\n') },
    message: { type: 'string', description: 'Human text that can change; never match on it.' },
    param: { type: 'string', description: 'The parameter concerned.' },
    request_id: { type: 'string', description: 'The id of the request.' },
    payment: { type: 'string', description: 'The failed payment of a refused charge.' },
    decline_code: { type: 'string', description: 'Why a charge was refused.' },
    refund: { type: 'string', description: 'The failed refund.' },
    failure_code: { type: 'string', description: 'Why a refund was refused.' },
  }
  const required = ['type', 'code', 'message', 'request_id']
  // Not `additionalProperties` of strings: in TypeScript that holds for `param` too, which may be missing.
  const ErrorDetails = { type: 'object', description: 'Further strings can appear.', properties, required }
  return { Error: errorBody(refTo('ErrorDetails')), ErrorDetails }
}
