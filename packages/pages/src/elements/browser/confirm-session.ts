import type { ConfirmedSession, ConfirmOptions } from '../declarations.ts'
import type { ApiError } from './elements-error.ts'

/** Gives the session its token, over the API's own confirm. Rejects where nobody knows what became of it. */
export async function confirmSession(
  api: string,
  { publishableKey, clientSecret, billingDetails }: ConfirmOptions,
  details: object,
): Promise<{ session: ConfirmedSession } | { error: ApiError }> {
  const [id = ''] = clientSecret.split('_secret_')
  const query = new URLSearchParams({ client_secret: clientSecret })
  const response = await fetch(`${api}/payment-method-sessions/${encodeURIComponent(id)}/confirm?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${publishableKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...details, billing_details: billingDetails }),
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(patience_ms),
  })
  const answer = await response.json()
  if (response.ok) return { session: answer }
  if (response.status >= 500 || !answer.error) throw new Error(`HTTP ${response.status}`)
  return { error: answer.error }
}

/** Longer than the API takes with a processor that answers late. */
const patience_ms = 60_000
