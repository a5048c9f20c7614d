import type { ConfirmedSession, ConfirmOptions } from '../declarations.ts'
import type { ApiError } from './elements-error.ts'

/** The page's own mistake: a code like the API's, and the reason for the console. Null if the API can be called. */
export function mistakeIn(options: unknown, api: string): { code: string; reason: string } | null {
  const { publishableKey, clientSecret } = Object(options)
  if (typeof publishableKey !== 'string' || !publishableKey.startsWith('pk_'))
    return {
      code: 'invalid_api_key',
      reason: 'confirm() takes a publishable key: no other key may be in a page.',
    }
  if (typeof clientSecret !== 'string' || clientSecret === '')
    return { code: 'client_secret_missing', reason: 'confirm() takes the clientSecret of a session.' }
  if (!URL.canParse(api, document.baseURI))
    return { code: 'invalid_api_address', reason: `The attribute api is no address: "${api}".` }
  return null
}

/** The billing detail that the payer has yet to give; null if none is missing. */
export function missingIn(options: ConfirmOptions): 'name' | 'postal_code' | null {
  const details: Record<string, unknown> = Object(options.billingDetails)
  const isMissing = (name: string) => String(details[name] ?? '').trim() === ''
  return (['name', 'postal_code'] as const).find(isMissing) ?? null
}

/** Gives the session its token with the API's confirm. Rejects if the outcome is unknown. */
export async function confirmSession(
  api: string,
  { publishableKey, clientSecret, billingDetails }: ConfirmOptions,
  details: object,
): Promise<{ session: ConfirmedSession } | { error: ApiError }> {
  const [id = ''] = clientSecret.split('_secret_')
  const query = new URLSearchParams({ client_secret: clientSecret })
  const base = new URL(api, document.baseURI).href.replace(/\/$/, '')
  const response = await fetch(`${base}/payment-method-sessions/${encodeURIComponent(id)}/confirm?${query}`, {
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

/** Longer than the API takes with a processor that responds late. */
const patience_ms = 60_000
