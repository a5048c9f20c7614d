import { z } from 'zod'
import { fail, parameter_required } from '../errors/domain-error.ts'
import { type Asked, type Context, remote, type Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { err, ok } from '../kernel/result.ts'
import type { billingDetails } from '../payment-methods/payment-method.ts'
import { isExpired } from '../payment-methods/payment-method-machine.ts'
import type { Verification } from '../ports/processor.ts'
import { byId } from '../schema/ids.ts'
import { ach_terms } from './ach-terms.ts'
import { browserSession, type PaymentMethodSessionRow } from './payment-method-session.ts'
import { asOf, decideSession } from './payment-method-session-machine.ts'

const tokenized = z.strictObject({ token: z.string().min(1).max(255) })
const shortText = z.string().min(1).max(500)

const input = byId.extend({
  card: tokenized.optional(),
  us_bank_account: tokenized.optional(),
  billing_details: z.strictObject({
    name: shortText,
    postal_code: shortText,
  } satisfies typeof billingDetails.shape),
  ach_authorization: z
    .strictObject({ accepted: z.boolean(), terms_version: z.string().min(1).max(100) })
    .optional(),
})
type Input = z.output<typeof input>

/**
 * `POST /payment-method-sessions/{id}/confirm`, from the browser: gives the session its card or bank account. Confirming again
 * with the same token returns the same object. If the processor refuses, the session stays open.
 */
export const confirmPaymentMethodSession = remote({
  access: { key: 'browser' },
  refuses: 'payment details in the clear',
  idempotency_key: 'optional',
  input,
  output: browserSession,
  errors: [
    'parameter_invalid',
    'resource_missing',
    'payment_method_session_inactive',
    'payment_provider_not_configured',
    'ach_authorization_required',
    'ach_terms_version_unsupported',
    'card_expired',
    'card_verification_failed',
    'bank_account_verification_failed',
  ],

  async reserve(unit, input) {
    const found = await unit.tx.payment_method_sessions.lock(input.id)
    if (!found) return fail('resource_missing')
    const session = asOf(found, unit.now)
    const token = decideToken(session, input)
    if (token.isErr()) return err(token.error)
    const intent = { id: null, input, session, token: token.value }
    if (session.status === 'succeeded' && session.token === token.value) return ok(intent)
    if (session.status !== 'requires_payment_method') return fail('payment_method_session_inactive')
    if (!unit.processor?.types.includes(typeOf(session))) return fail('payment_provider_not_configured')
    const accepted = decideAuthorization(session, input)
    return accepted.isErr() ? err(accepted.error) : ok(intent)
  },

  // A verified token is not verified again: it may be good for one use only.
  async call({ processor, now }: Context, { session, token }): Promise<Verification | null> {
    if (session.status === 'succeeded') return null
    // `reserve` has refused this.
    if (!processor) return { kind: 'unknown_token' }
    return processor.verify({ token, type: typeOf(session), at: now })
  },

  async record(unit, { input, token }, verification) {
    const found = await unit.tx.payment_method_sessions.lock(input.id)
    if (!found) return fail('resource_missing')
    const session = asOf(found, unit.now)
    if (session.status === 'succeeded' && session.token === token) return ok(session)
    if (verification === null) return fail('payment_method_session_inactive')
    const details = decideVerified(session, verification, unit.now)
    if (details.isErr()) return err(details.error)
    const confirmed = decideSession(session, 'confirm', unit.now)
    if (confirmed.isErr()) return err(confirmed.error)
    const { billing_details } = input
    const ach_authorization = acceptedAuthorization(unit, session, input)
    const next = { ...confirmed.value, ...details.value, token, billing_details, ach_authorization }
    await unit.tx.payment_method_sessions.update(next)
    return ok(next)
  },

  answer: (session) => ok(render(browserSession, session)),
  unanswered: null,
  recover: null,
})

function typeOf(session: PaymentMethodSessionRow) {
  return session.payment_method_types[0] ?? 'card'
}

/** The token, which must come under the session's own type and no other. */
function decideToken(session: PaymentMethodSessionRow, input: Input) {
  const type = typeOf(session)
  const other = type === 'card' ? 'us_bank_account' : 'card'
  const message = `This session collects a ${type}.`
  if (input[other]) return fail('parameter_invalid', { param: other, message })
  if (type === 'card' && input.ach_authorization)
    return fail('parameter_invalid', { param: 'ach_authorization', message })
  const token = input[type]?.token
  if (token !== undefined) return ok(token)
  return fail('parameter_invalid', { param: type, message: parameter_required })
}

function decideAuthorization(session: PaymentMethodSessionRow, { ach_authorization }: Input) {
  if (session.ach_authorization === null) return ok(null)
  if (!ach_authorization?.accepted) return fail('ach_authorization_required')
  if (!Object.hasOwn(ach_terms, ach_authorization.terms_version)) return fail('ach_terms_version_unsupported')
  return ok(ach_authorization)
}

function decideVerified(session: PaymentMethodSessionRow, verification: Verification, now: string) {
  const type = typeOf(session)
  switch (verification.kind) {
    case 'unknown_token':
      return fail('parameter_invalid', { param: `${type}.token`, message: 'There is no such token.' })
    case 'refused': {
      const code = type === 'card' ? 'card_verification_failed' : 'bank_account_verification_failed'
      return fail(code, { message: verification.message })
    }
    case 'verified':
      if (verification.type === 'us_bank_account')
        return ok({ us_bank_account: verification.us_bank_account })
      return isExpired(verification.card, now) ? fail('card_expired') : ok({ card: verification.card })
  }
}

function acceptedAuthorization({ caller, now }: Asked<Unit>, session: PaymentMethodSessionRow, input: Input) {
  const shown = session.ach_authorization
  const accepted = input.ach_authorization
  if (!shown || !accepted) return null
  const { terms_version } = accepted
  const { ip_address, user_agent } = caller
  const text = ach_terms[terms_version]?.({ amount: shown.amount }) ?? shown.text
  return { ...shown, terms_version, text, accepted_at: now, ip_address, user_agent }
}
