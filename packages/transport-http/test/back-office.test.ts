import { backOfficeCatalogue, type Store } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { backOfficeRoutes, createBackOffice } from '../src/back-office.ts'
import { openOffice, outcome } from './back-office-server.ts'

const unknown = '019c0000-0000-7000-8000-000000000000'
const guarded = backOfficeRoutes
  .filter((route) => route.guarded)
  .map(({ method, path }) => ({ method, path: path.replace('{id}', unknown) }))

it('the back office has the codes of the specification, with these statuses', () => {
  const statuses = Object.entries(backOfficeCatalogue).map(([code, [status]]) => [code, status])
  expect(Object.fromEntries(statuses)).toEqual({
    health_status_ok: 200,
    health_status_error: 503,
    validation_error: 422,
    bad_request: 400,
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    method_not_allowed: 405,
    internal_server_error: 500,
    organization_not_found: 404,
    cannot_access_organization: 403,
    api_key_not_found: 404,
    resource_already_exists: 409,
  })
})

describe('an answer of the back office', () => {
  it('is { data, code, message } on success and { code, message, data } on failure', async () => {
    const { call } = await openOffice()
    const well = await call('GET', '/health')
    expect(well.text).toBe('{"data":null,"code":"health_status_ok","message":"OK."}')
    const failed = await call('GET', '/nowhere')
    expect(failed.text).toBe('{"code":"not_found","message":"There is nothing here.","data":null}')
  })

  it('is JSON that nobody keeps, with a request id and no word to browsers', async () => {
    const { call } = await openOffice()
    for (const path of ['/health', '/nowhere', '/back-office/onboard/entity']) {
      const { headers } = await call('POST', path, { headers: { origin: 'https://example.com' } })
      expect(headers.get('content-type')).toBe('application/json')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/)
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('is HEAD without a body', async () => {
    const { call } = await openOffice()
    const { status, text } = await call('HEAD', '/health')
    expect([status, text]).toEqual([200, ''])
  })
})

describe('the token of the back office', () => {
  const wrong = [
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer wrong' },
    { authorization: 'Basic the-token-of-the-back-office' },
    { authorization: 'the-token-of-the-back-office' },
    { authorization: 'Bearer the-token-of-the-back-office more' },
  ]
  for (const { method, path } of guarded) {
    it.each(wrong)(`guards ${method} ${path} against %o`, async (headers) => {
      const { call } = await openOffice()
      const reply = await call(method, path, { key: null, headers, body: '{' })
      expect(outcome(reply)).toEqual([401, 'unauthorized'])
      expect(reply.headers.get('www-authenticate')).toBe('Bearer')
    })

    it(`opens ${method} ${path}`, async () => {
      const { call } = await openOffice()
      expect((await call(method, path)).status).not.toBe(401)
    })
  }

  it('can be checked by something that takes its time', async () => {
    const slow = async (token: string) => Promise.resolve(token === 'slow')
    const { call } = await openOffice({ office: { authorize: slow } })
    expect((await call('POST', '/back-office/onboard/entity', { key: 'slow' })).status).toBe(422)
    expect((await call('POST', '/back-office/onboard/entity')).status).toBe(401)
  })

  it('is right if `authorize` says true, and nothing else', async () => {
    const { call } = await openOffice({ office: { authorize: () => ({ error: 'unknown' }) as never } })
    expect((await call('POST', '/back-office/onboard/entity')).status).toBe(401)
  })

  it('is not asked for by the health check', async () => {
    const { call } = await openOffice()
    expect(outcome(await call('GET', '/health', { key: null }))).toEqual([200, 'health_status_ok'])
  })
})

describe('a path of the back office', () => {
  it.each([
    '/',
    '/back-office',
    '/back-office/sync',
    '/health/more',
    '/service/organization//api-keys',
    '/v1/account',
  ])('that does not exist answers not_found: %s', async (path) => {
    const { call } = await openOffice()
    expect(outcome(await call('POST', path, { key: null }))).toEqual([404, 'not_found'])
  })

  it.each(backOfficeRoutes)('answers method_not_allowed to other methods: $method $path', async (route) => {
    const { call } = await openOffice()
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (method === route.method) continue
      const reply = await call(method, route.path.replace('{id}', unknown), { key: null })
      expect(outcome(reply)).toEqual([405, 'method_not_allowed'])
      expect(reply.headers.get('allow')).toBe(route.method)
    }
  })

  it('is found below the base path, and only there', async () => {
    const { call } = await openOffice({ office: { basePath: '/internal/' } })
    expect(outcome(await call('GET', '/internal/health'))).toEqual([200, 'health_status_ok'])
    expect(outcome(await call('GET', '/health'))).toEqual([404, 'not_found'])
  })

  it('is not opened without `authorize`, nor where no path can be', async () => {
    const { engine } = await openOffice()
    const authorize = () => true
    expect(() => createBackOffice(engine, {} as { authorize: () => boolean })).toThrow('`authorize`')
    expect(() => createBackOffice(engine, { authorize, basePath: 'internal' })).toThrow('a slash')
  })

  it('is found below the mount that a framework names', async () => {
    const { engine } = await openOffice()
    const { http } = createBackOffice(engine, { authorize: () => false, basePath: '/internal' })
    const request = {
      method: 'GET',
      headers: {},
      body: new Uint8Array(),
      remote_address: null,
      mount: '/host',
    }
    expect((await http({ ...request, target: '/host/internal/health' })).status).toBe(200)
    expect((await http({ ...request, target: '/internal/health' })).status).toBe(404)
  })
})

describe('a body of the back office', () => {
  const unreadable: [string, string | Uint8Array, Record<string, string>][] = [
    ['is no JSON', '{', {}],
    ['has a key twice', '{"jobType":"sync_invoice","jobType":"sync_invoice"}', {}],
    ['has __proto__', '{"__proto__":{}}', {}],
    ['has NUL', '{"jobType":"\\u0000"}', {}],
    ['is no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), {}],
    ['is nested too deep', `${'['.repeat(40)}${']'.repeat(40)}`, {}],
    ['is no object', '[]', {}],
    ['has another content type', '{}', { 'content-type': 'text/plain' }],
    ['is larger than 256 KiB', `{"jobType":"${'x'.repeat(262_144)}"}`, {}],
  ]
  it.each(unreadable)('answers bad_request when it %s', async (_what, body, headers) => {
    const { call } = await openOffice()
    for (const { path } of guarded) {
      const reply = await call('POST', path, { body, headers })
      expect(outcome(reply)).toEqual([400, 'bad_request'])
      expect(reply.body.data).toBeNull()
    }
  })

  it('has no query beside it', async () => {
    const { call } = await openOffice()
    for (const { path } of guarded) {
      const reply = await call('POST', `${path}?limit=1`, { body: {} })
      expect(outcome(reply)).toEqual([422, 'validation_error'])
      expect(reply.body.data).toEqual([{ path: 'limit', message: 'Unknown query parameter.' }])
    }
  })
})

describe('a fault behind the back office', () => {
  it('answers internal_server_error, and is logged once without what was sent', async () => {
    const authorize = () => {
      throw new Error('the directory is down')
    }
    const { call, logged } = await openOffice({ office: { authorize } })
    const path = '/service/organization/hunter3/api-keys'
    const reply = await call('POST', path, { body: { password: 'hunter2' } })
    expect(outcome(reply)).toEqual([500, 'internal_server_error'])
    expect(reply.text).not.toContain('directory')
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(reply.headers.get('request-id'))
    expect(logged[0]).toContain('the directory is down')
    expect(logged[0]).not.toMatch(/hunter|the-token-of-the-back-office/)
  })

  it('shows in the health check as health_status_error', async () => {
    const { call, store, logged } = await openOffice()
    const read: Store['read'] = () => Promise.reject(new Error('the disk is gone'))
    Object.assign(store, { read })
    expect(outcome(await call('GET', '/health'))).toEqual([503, 'health_status_error'])
    expect(logged).toHaveLength(1)
  })
})

describe('an organization API key', () => {
  interface Key {
    id: string
    key: string
    createdAt: string
    updatedAt: string
  }

  it('is a new sandbox secret key of the organization', async () => {
    const { call, send, sandbox } = await openOffice()
    const path = `/service/organization/${sandbox.workspace}/api-keys`
    const first = await call<Key>('POST', path)
    expect(outcome(first)).toEqual([200, 'health_status_ok'])
    const { id, key, createdAt, updatedAt } = first.body.data
    expect(Object.keys(first.body.data)).toEqual(['id', 'key', 'createdAt', 'updatedAt'])
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(key).toMatch(/^sk_test_[0-9A-Za-z]{43}$/)
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(updatedAt).toBe(createdAt)
    const { body: account } = await send('GET', '/account', { key })
    expect(account).toMatchObject({ id: sandbox.workspace, environment: 'sandbox', livemode: false })
    expect((await send('GET', '/payments', { key })).status).toBe(200)
    expect((await call<Key>('POST', path, { body: {} })).body.data.key).not.toBe(key)
  })

  it.each([unknown, 'nobody', '1', `${unknown}0`, unknown.toUpperCase(), 'a%2Fb', 'x'.repeat(500)])(
    'answers organization_not_found for %s',
    async (id) => {
      const { call } = await openOffice()
      expect(outcome(await call('POST', `/service/organization/${id}/api-keys`))).toEqual([
        404,
        'organization_not_found',
      ])
    },
  )

  it('takes no body', async () => {
    const { call, sandbox } = await openOffice()
    const body = { name: 'mine' }
    const reply = await call('POST', `/service/organization/${sandbox.workspace}/api-keys`, { body })
    expect(outcome(reply)).toEqual([422, 'validation_error'])
    expect(reply.body.data).toEqual([{ path: 'name', message: 'Unknown field' }])
  })

  it('leaves an entry in the audit log', async () => {
    const { call, sandbox, engine } = await openOffice()
    const { body } = await call<Key>('POST', `/service/organization/${sandbox.workspace}/api-keys`)
    const entries = (await engine.admin.audit.list(sandbox))._unsafeUnwrap().data
    expect(entries[0]).toMatchObject({ actor: 'back office', action: 'keys.create', target: body.data.id })
  })
})
