import { simulatedProcessor } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import { heldProcessor } from '../../testing/src/ports/held-processor.ts'
import { confirmedSession, confirmPath, hiddenSession, newSession } from './purchases.ts'
import { fresh, openShop, refusal, type Shop } from './shop.ts'

const malformed = { 'idempotency-key': 'not a key' }
const spent = { sandboxPerSecond: 0, confirmsPerMinute: 0 }
const unknown_session = `pms_test_${'0'.repeat(24)}`

async function disabledKey({ engine, newKey }: Shop, type: 'secret' | 'publishable' = 'secret') {
  const { id } = await engine.admin.workspaces.create({ name: 'Off', api_enabled: false })
  return (await newKey({ workspace: id, livemode: false }, type)).key
}

describe('the checks of a request come in their order', () => {
  it('api_key_missing before everything else', async () => {
    const { send } = await openShop({ rateLimit: spent })
    const reply = await send('PATCH', '/nowhere?a&a', { key: null, body: '{', headers: malformed })
    expect(refusal(reply)).toMatchObject({ status: 401, code: 'api_key_missing' })
  })

  it('invalid_api_key before publishable_key_not_allowed', async () => {
    const { send } = await openShop()
    const reply = await send('GET', '/account', { key: `pk_test_${'0'.repeat(43)}` })
    expect(refusal(reply)).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })

  it('api_key_environment_mismatch of a handler for one environment before publishable_key_not_allowed', async () => {
    const shop = await openShop({ handler: { environment: 'live' } })
    const reply = await shop.send('GET', '/account', { key: shop.keys.publishable })
    expect(refusal(reply)).toMatchObject({ status: 401, code: 'api_key_environment_mismatch' })
  })

  it('publishable_key_not_allowed before developer_integrations_disabled', async () => {
    const shop = await openShop()
    const reply = await shop.send('GET', '/account', { key: await disabledKey(shop, 'publishable') })
    expect(refusal(reply)).toMatchObject({ status: 401, code: 'publishable_key_not_allowed' })
  })

  it('developer_integrations_disabled before rate_limit_exceeded', async () => {
    const shop = await openShop({ rateLimit: spent })
    const reply = await shop.send('GET', '/account', { key: await disabledKey(shop) })
    expect(refusal(reply)).toMatchObject({ status: 403, code: 'developer_integrations_disabled' })
  })

  it('rate_limit_exceeded before an unknown path', async () => {
    const { send } = await openShop({ rateLimit: spent })
    expect(refusal(await send('GET', '/nowhere'))).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  })

  it.each([
    ['GET', '/nowhere', 'There is no such path.'],
    ['DELETE', '/payments', 'This path does not take this method.'],
    ['PUT', '/webhook-endpoints/x', 'This path does not take this method.'],
  ])('an unknown path or method before insufficient_scope: %s %s', async (method, path, message) => {
    const { send, newKey, sandbox } = await openShop()
    const { key } = await newKey(sandbox, 'secret', [])
    const reply = await send(method, path, { key })
    expect(refusal(reply)).toMatchObject({ status: 404, code: 'resource_missing' })
    expect(reply.body.error.message).toBe(message)
  })

  it.each([{}, malformed])(
    'insufficient_scope before a missing or malformed Idempotency-Key',
    async (headers) => {
      const { send, newKey, sandbox } = await openShop()
      const { key } = await newKey(sandbox, 'secret', ['payments:read'])
      const reply = await send('POST', '/payments', { key, body: {}, headers })
      expect(refusal(reply)).toMatchObject({ status: 403, code: 'insufficient_scope' })
    },
  )

  it.each([
    [{}, 'idempotency_key_required'],
    [malformed, 'idempotency_key_invalid'],
  ])('the Idempotency-Key before the body: %j', async (headers, code) => {
    const { send } = await openShop()
    for (const body of ['{', { amount: 0 }]) {
      expect(refusal(await send('POST', '/payments', { body, headers }))).toMatchObject({ status: 400, code })
    }
  })

  it('idempotency_key_reused before the body and the query', async () => {
    const { send } = await openShop()
    const headers = fresh()
    await send('POST', '/payment-method-sessions', { body: {}, headers })
    for (const body of ['{', { nonsense: 1 }, { customer: 'nobody' }]) {
      const reply = await send('POST', '/payment-method-sessions?a&a', { body, headers })
      expect(refusal(reply)).toMatchObject({ status: 400, code: 'idempotency_key_reused' })
    }
  })

  it('idempotency_key_in_flight before the state', async () => {
    const { processor, held, release } = heldProcessor(simulatedProcessor(), 'before')
    const shop = await openShop({ processors: { sandbox: processor } })
    const { id } = await confirmedSession(shop)
    const request = { body: { amount: 500, currency: 'USD', payment_method_session: id }, headers: fresh() }
    const first = shop.send('POST', '/payments', request)
    await held
    const second = await shop.send('POST', '/payments', request)
    release()
    expect(refusal(second)).toMatchObject({ status: 409, code: 'idempotency_key_in_flight' })
    expect((await first).status).toBe(200)
  })

  it('the body before ids in the path and in the body', async () => {
    const { send } = await openShop()
    const endpoint = await send('POST', '/webhook-endpoints/nobody', { body: { url: 'http://example.com' } })
    expect(refusal(endpoint)).toEqual({ status: 400, code: 'parameter_invalid', param: 'url' })
    const body = { amount: 0, currency: 'USD', payment_method: 'nobody' }
    const payment = await send('POST', '/payments', { body, headers: fresh() })
    expect(refusal(payment)).toEqual({ status: 400, code: 'parameter_invalid', param: 'amount' })
  })

  it('the query before an id in the path', async () => {
    const { send } = await openShop()
    const reply = await send('GET', '/payments/nobody?expand=1')
    expect(refusal(reply)).toEqual({ status: 400, code: 'parameter_invalid', param: 'expand' })
  })

  it('an id in the path before the one in the body', async () => {
    const { send } = await openShop()
    const reply = await send('POST', '/events/nobody/resend', { body: { endpoint: 'nobody' } })
    expect(refusal(reply)).toEqual({ status: 404, code: 'resource_missing', param: undefined })
  })

  it('ids before the state', async () => {
    const shop = await openShop()
    const session = await newSession(shop)
    const body = { amount: 500, currency: 'USD', payment_method_session: session.id, customer: 'nobody' }
    const payment = await shop.send('POST', '/payments', { body, headers: fresh() })
    expect(refusal(payment)).toEqual({ status: 404, code: 'resource_missing', param: 'customer' })
    const bare = await openShop({ processors: {} })
    const created = await bare.send('POST', '/payment-method-sessions', { body: { customer: 'nobody' } })
    expect(refusal(created)).toEqual({ status: 404, code: 'resource_missing', param: 'customer' })
  })
})

describe('the checks of a browser endpoint come in their order', () => {
  const confirm = (id: string, query = '') =>
    [`POST`, `/payment-method-sessions/${id}/confirm${query}`] as const

  it('invalid_api_key before api_key_environment_mismatch', async () => {
    const { send } = await openShop()
    const reply = await send(...confirm('pms_live_1'), { key: `pk_test_${'0'.repeat(43)}`, body: '{' })
    expect(refusal(reply)).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })

  it('api_key_environment_mismatch before client_secret_missing', async () => {
    const { send, keys } = await openShop()
    const reply = await send(...confirm('pms_live_1'), { key: keys.publishable })
    expect(refusal(reply)).toMatchObject({ status: 401, code: 'api_key_environment_mismatch' })
  })

  it.each(['', '?client_secret=', '?client_secret'])(
    'client_secret_missing before an unknown session: %j',
    async (query) => {
      const { send, keys } = await openShop()
      const reply = await send(...confirm(unknown_session, query), { key: keys.publishable })
      expect(refusal(reply)).toMatchObject({ status: 401, code: 'client_secret_missing' })
    },
  )

  it('an unknown session before invalid_client_secret', async () => {
    const { send, keys } = await openShop()
    const reply = await send(...confirm(unknown_session, '?client_secret=wrong'), { key: keys.publishable })
    expect(refusal(reply)).toMatchObject({ status: 404, code: 'resource_missing' })
  })

  it('invalid_client_secret before rate_limit_exceeded', async () => {
    const shop = await openShop({ rateLimit: spent })
    const { id } = await hiddenSession(shop)
    for (const path of [`/payment-method-sessions/${id}`, `/payment-method-sessions/${id}/confirm`]) {
      const method = path.endsWith('confirm') ? 'POST' : 'GET'
      const reply = await shop.send(method, `${path}?client_secret=wrong`, { key: shop.keys.publishable })
      expect(refusal(reply)).toMatchObject({ status: 401, code: 'invalid_client_secret' })
    }
  })

  it('rate_limit_exceeded before the Idempotency-Key', async () => {
    const shop = await openShop({ rateLimit: spent })
    const { id, client_secret } = await hiddenSession(shop)
    const path = `/payment-method-sessions/${id}/confirm?client_secret=${client_secret}`
    const reply = await shop.send('POST', path, { key: shop.keys.publishable, body: '{', headers: malformed })
    expect(refusal(reply)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  })

  it('the Idempotency-Key before the body', async () => {
    const shop = await openShop()
    const path = confirmPath(await newSession(shop))
    const reply = await shop.send('POST', path, { key: shop.keys.publishable, body: '{', headers: malformed })
    expect(refusal(reply)).toMatchObject({ status: 400, code: 'idempotency_key_invalid' })
  })

  it.each(['client_secret=%zz', 'client_secret=a&client_secret=b', 'client_secret=a&client_secret=%zz'])(
    'the client secret before the Idempotency-Key, also where it cannot be read: %j',
    async (query) => {
      const shop = await openShop()
      const session = await newSession(shop)
      const { publishable: key } = shop.keys
      const request = { key, body: { card: { token: 'tok_test_visa' } }, headers: fresh() }
      const kept = await shop.send('POST', confirmPath(session), request)
      const reply = await shop.send(...confirm(session.id, `?${query}`), request)
      expect(kept.status).toBe(400)
      expect(reply.headers.get('idempotent-replayed')).toBeNull()
      expect(refusal(reply)).toMatchObject({ status: 401, code: 'client_secret_missing' })
    },
  )

  it.each(['&x=1&x=2', '&x=%zz', '&%zz=1', '&=1'])(
    'the query, as far as it is not the client secret, after all of them: %j',
    async (more) => {
      const shop = await openShop({ rateLimit: { confirmsPerMinute: 1 } })
      const { publishable: key } = shop.keys
      const session = await newSession(shop)
      const ask = (id: string, secret: string) =>
        shop.send('GET', `/payment-method-sessions/${id}?client_secret=${secret}${more}`, { key })
      expect(refusal(await ask(unknown_session, 'a'))).toMatchObject({ code: 'resource_missing' })
      expect(refusal(await ask(session.id, 'a'))).toMatchObject({ code: 'invalid_client_secret' })
      expect(refusal(await ask(session.id, session.client_secret))).toMatchObject({
        code: 'parameter_invalid',
      })
      const request = { key, body: { card: { token: 'tok_test_visa' } }, headers: fresh() }
      const path = `${confirmPath(session)}${more}`
      const [first, again] = [await shop.send('POST', path, request), await shop.send('POST', path, request)]
      expect(refusal(first)).toMatchObject({ status: 400, code: 'parameter_invalid' })
      expect(refusal(again)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    },
  )

  it('a replay counts towards the limit of confirms', async () => {
    const shop = await openShop({ rateLimit: { confirmsPerMinute: 2 } })
    const request = { key: shop.keys.publishable, body: {}, headers: fresh() }
    const path = confirmPath(await newSession(shop))
    const statuses = []
    for (let turn = 1; turn <= 3; turn += 1) statuses.push((await shop.send('POST', path, request)).status)
    expect(statuses).toEqual([400, 400, 429])
  })

  it('confirms of each session are limited apart, and so are the reads of each by a key', async () => {
    const shop = await openShop({ rateLimit: { sandboxPerSecond: 0.001, confirmsPerMinute: 1 } })
    const { publishable: key } = shop.keys
    for (const { id, client_secret } of [await hiddenSession(shop), await hiddenSession(shop)]) {
      const ask = async (method: string, path: string) =>
        (await shop.send(method, `${path}?client_secret=${client_secret}`, { key })).status
      const read = `/payment-method-sessions/${id}`
      expect([await ask('POST', `${read}/confirm`), await ask('POST', `${read}/confirm`)]).toEqual([400, 429])
      expect([await ask('GET', read), await ask('GET', read)]).toEqual([200, 429])
    }
  })

  it.each([
    ['sandbox', { sandboxPerSecond: 0 }, [429, 200]],
    ['live', { livePerSecond: 0 }, [200, 429]],
  ])('a key has the limit of its environment, as that of the %s', async (_name, rateLimit, statuses) => {
    const { send, keys } = await openShop({ rateLimit })
    const replies = [await send('GET', '/account'), await send('GET', '/account', { key: keys.live })]
    expect(replies.map(({ status }) => status)).toEqual(statuses)
  })
})
