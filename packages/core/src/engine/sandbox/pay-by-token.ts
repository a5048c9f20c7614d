import { z } from 'zod'
import { keyScopes } from '../../api-keys/api-key.ts'
import { type DomainError, fail } from '../../errors/domain-error.ts'
import { type Caller, testHelper } from '../../kernel/operation.ts'
import { err } from '../../kernel/result.ts'
import { current_ach_terms_version } from '../../payment-method-sessions/ach-terms.ts'
import { byId } from '../../schema/ids.ts'
import type { Api } from '../api.ts'
import { collectOnPage } from '../collect-on-page.ts'

/**
 * Pays an open checkout session as its hosted page does, with the card or account of a token. After a declined card it returns
 * the session, still open.
 */
export function payByToken(api: Api) {
  return testHelper({
    input: byId.extend({ token: z.string().min(1).max(255) }),
    async run(asked_by, { id, token }) {
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
    },
  })
}

/** Blames `token`, the one parameter sent, for a fault in the card, account or session made from it. */
function ofToken(error: DomainError): DomainError {
  return error.param === undefined ? error : { ...error, param: 'token' }
}
