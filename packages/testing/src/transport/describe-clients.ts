import { expect } from 'vitest'
import { it } from '../suite.ts'
import { charge, read, type SuiteRequest } from './requests.ts'
import { openTwins, type Tried, type Twins } from './twins.ts'

const debit =
  '{"us_bank_account":{"token":"btok_test_success"},"billing_details":{"name":"Ada","postal_code":"94107"},"ach_authorization":{"accepted":true,"terms_version":"2026-01"}}'

/** What holds of clients in every version of HTTP. */
export function describeClients(tried: Tried): void {
  it('gives each of many clients its own answer', async () => {
    const { ask, fill } = await openTwins(tried)
    const names = Array.from({ length: 20 }, (_, number) => `nobody-${number}`)
    const answers = await Promise.all(
      names.map((name) => ask(fill({ ...read, path: `/payments?${name}=1` }))),
    )
    expect(answers.map(({ body }) => JSON.parse(body).error.param)).toEqual(names)
  })

  it('answers with a list as it is now, even right after a change', async () => {
    const twins = await openTwins(tried)
    expect(await paymentsOf(twins)).toHaveLength(1)
    expect((await twins.ask(twins.fill(charge))).status).toBe(200)
    expect(await paymentsOf(twins)).toHaveLength(2)
  })

  it('replays the very bytes that the plain handler answered under another base path', async () => {
    const { ask, fill, elsewhere } = await openTwins(tried)
    const request = fill(charge)
    const first = await elsewhere(request)
    const again = await ask(request)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers['idempotent-replayed']).toBe('true')
  })

  it('passes on the client’s address and user agent, and no address from a header', async () => {
    const { mounted, ask, fill, plainly } = await openTwins(tried)
    const request = fill({
      name: 'a debit',
      method: 'POST',
      path: '/payment-method-sessions/{bank_session}/confirm?client_secret={bank_secret}',
      authorization: 'Bearer {publishable}',
      headers: [
        ['Forwarded', 'for=192.0.2.1'],
        ['X-Forwarded-For', '192.0.2.1'],
        ['X-Real-IP', '192.0.2.1'],
        ['User-Agent', 'Acme/1.0 (Ada)'],
        ['User-Agent', 'Browser/2.0'],
      ],
      body: debit,
    })
    const answer = await ask(request)
    const { ip_address, user_agent } = JSON.parse(answer.body).ach_authorization
    expect({ ip_address, user_agent }).toEqual({
      ip_address: mounted.remote_address,
      user_agent: 'Acme/1.0 (Ada), Browser/2.0',
    })
    expect(answer.body).toBe((await plainly(request)).body)
  })
}

export async function paymentsOf({ ask, fill }: Twins): Promise<unknown[]> {
  const { body } = await ask(fill({ ...read, path: '/payments' }))
  return JSON.parse(body).data
}

/** The first response that does not say that another request with the same key is in flight. */
export async function settled({ ask, fill }: Twins, request: SuiteRequest): ReturnType<Twins['ask']> {
  for (;;) {
    const answer = await ask(fill(request))
    if (answer.status !== 409) return answer
  }
}
