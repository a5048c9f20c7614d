import type { DevFile } from './dev-server.ts'

export interface Answered<Body> {
  status: number
  text: string
  body: Body
  replayed: boolean
}

/** A request with the sandbox's secret key, or with another one. */
export async function ask<Body>(
  { base_url, sandbox }: Pick<DevFile, 'base_url' | 'sandbox'>,
  path: string,
  {
    post,
    key = sandbox.secret_key,
    idempotency_key,
  }: { post?: object; key?: string; idempotency_key?: string } = {},
): Promise<Answered<Body>> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  }
  if (idempotency_key !== undefined) headers['idempotency-key'] = idempotency_key
  const request = post === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(post) }
  const response = await fetch(base_url + path, request)
  const text = await response.text()
  const replayed = response.headers.get('idempotent-replayed') === 'true'
  return { status: response.status, text, body: JSON.parse(text) as Body, replayed }
}

/** The id of a session that a browser has confirmed with a card. */
export async function confirmedSession(server: DevFile): Promise<string> {
  const { body } = await ask<{ id: string; client_secret: string }>(server, '/payment-method-sessions', {
    post: {},
  })
  await ask(server, `/payment-method-sessions/${body.id}/confirm?client_secret=${body.client_secret}`, {
    post: {
      card: { token: 'tok_test_visa' },
      billing_details: { name: 'Ada Lovelace', postal_code: '94107' },
    },
    key: server.sandbox.publishable_key,
  })
  return body.id
}
