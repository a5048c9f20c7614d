import { catalogue, type ErrorCode, operationNamed, operationNames } from '@quittance/core'
import { headOf, table } from './markdown.ts'

/**
 * Codes that no operation lists, because they are returned before it runs, for the key, the limits, the idempotency or the
 * body of a request, or for a fault.
 */
const in_general: Partial<Record<ErrorCode, string>> = {
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
  resource_missing: 'an unknown path',
  rate_limit_exceeded: 'any',
  internal_error: 'any',
}

/** The catalogue of errors, with what returns each. */
export function errorsDocument(): string {
  const head = headOf(
    'Errors',
    [
      'Every code that this API returns. Match on `type` and `code`; messages may change. The names of operations are those of',
      '[operations.md](operations.md); `checkout_sessions.pay` and `invoices.pay` are what the hosted pages do.',
    ].join('\n'),
  )
  const codes = Object.keys(catalogue) as ErrorCode[]
  const rows = codes.map((code) => {
    const [status, type, message] = catalogue[code]
    return [String(status), `\`${type}\``, `\`${code}\``, message, answeredBy(code)]
  })
  const codes_table = table(['Status', 'Type', 'Code', 'Message', 'Answered by'], rows)
  return `${head}\n${codes_table}\n\n${in_the_library}`
}

/** What no row can say: the same errors without HTTP. */
const in_the_library = `## In the library

An operation that is called as a function resolves to a \`Result\`: \`Ok\` with the object in \`value\`, or \`Err\` with the
refusal in \`error\`, which is \`{ code, message, param?, extra? }\`. Code, message and \`param\` are those of the error object
over HTTP; \`extra\` has the fields that some codes add to that object:

| code | \`error\` over HTTP has | in the library |
|---|---|---|
| \`card_declined\`, and \`bank_account_verification_failed\` of a charge | \`payment\`, \`decline_code\` | \`extra.payment\`, \`extra.decline_code\` |
| \`refund_failed\` | \`refund\`, \`failure_code\` | \`extra.refund\`, \`extra.failure_code\` |

\`statusOf(code)\` gives the HTTP status of a code, and \`errorBody(error, request_id)\` the body that HTTP would have:

\`\`\`js
// errors.mjs
import { createEngine, errorBody, memoryStore, statusOf } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'

const engine = createEngine({
  store: memoryStore(),
  secret: 'thirty-two bytes for nobody but a test',
  processors: { sandbox: simulatedProcessor() },
  publicUrl: 'https://pay.example.com',
  testHelpers: true,
})
const { id: workspace } = await engine.admin.workspaces.create({ name: 'Shop' })
const caller = await engine.caller({ workspace, livemode: false })
const session = await engine.checkout_sessions.create(caller, {
  amount: 4200,
  currency: 'USD',
  success_url: 'https://shop.example.com/thanks',
  cancel_url: 'https://shop.example.com/cart',
})
if (session.isErr()) throw new Error(session.error.code)
const { id } = session.value // an id in the path is a field of the input
const paid = await engine.testHelpers.payCheckoutSession(caller, { id, token: 'tok_test_refund_refused' })
const { payment } = paid.unwrapOr({})

const refund = await engine.refunds.create(caller, { payment }, { idempotency_key: 'order-1001' })
if (refund.isErr()) {
  const { code, extra } = refund.error
  console.log(code, statusOf(code), extra.failure_code, extra.refund)
  console.log(Object.keys(errorBody(refund.error, 'req_1').error).join(', '))
}
\`\`\`

\`\`\`text
refund_failed 402 refund_refused re_test_0VbottEf003NiFyBDJXL05Ul
type, code, message, request_id, refund, failure_code
\`\`\`

In TypeScript, \`code\` is one of those that the operation can refuse with. A refusal is never thrown; faults are, such as a
store that cannot be reached, and wrong calls, such as a workspace that does not exist. Under an \`Idempotency-Key\`, a fault
in the middle of a request is stored as its response, as over HTTP, and resolves to an \`Err\` with the code \`internal_error\`.
Actions of \`engine.admin\` refuse with the same codes and messages. Back-office functions have codes of their own
([back-office.md](back-office.md)).
`

/** Codes that nothing returns: a sign of a missing operation, or of a superfluous code. */
export function unansweredCodes(): ErrorCode[] {
  return (Object.keys(catalogue) as ErrorCode[]).filter((code) => answeredBy(code) === '')
}

function answeredBy(code: ErrorCode): string {
  const general = in_general[code]
  // Every operation that lists it takes parameters, so the general text covers them all.
  if (code === 'parameter_invalid' && general !== undefined) return general
  const listing = operationNames.filter((name) => operationNamed(name).errors.includes(code))
  return [...(general === undefined ? [] : [general]), ...listing.map((name) => `\`${name}\``)].join(', ')
}
