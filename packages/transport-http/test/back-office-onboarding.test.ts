import { scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Office, openOffice, outcome } from './back-office-server.ts'

const path = '/back-office/onboard/entity'

interface Onboarded {
  id: string
  organization: { id: string }
  ledger: { connectionId: string }[]
  user: { id: string }
  apiKey: string
}

const entity = {
  organization: {
    email: 'office@Acme.example',
    name: 'Acme',
    slug: 'acme',
    phoneNumber: '+1 555 0100',
    website: 'https://acme.example',
  },
  ledger: [
    { ledgerAPIBaseUrl: 'https://ledger.example/api', ledgerSiteId: 'north', token: 'ledger-token-north' },
    { ledgerAPIBaseUrl: 'https://ledger.example/api', ledgerSiteId: 'south', token: 'ledger-token-south' },
  ],
  integrations: [
    { serviceTypeId: 'mail', ledgerSiteId: 'north', configuration: { secret: 'api-pass', list: [1, null] } },
  ],
  user: { name: 'Ada', email: 'ada@acme.example', password: 'correct horse' },
}

/** The entity with other values in one group. */
function changed(group: 'organization' | 'user', change: object) {
  return { ...entity, [group]: { ...entity[group], ...change } }
}

const another = {
  ...entity,
  organization: { ...entity.organization, slug: 'other', email: 'office@other.example' },
  user: { ...entity.user, email: 'ada@other.example' },
}

/** Every row that onboarding wrote, as JSON. */
async function rowsOf({ store }: Office, workspace: string) {
  const page = { where: {}, limit: 10 }
  return store.read({ workspace, livemode: false }, async (rows) => ({
    workspaces: await rows.workspaces.page(page),
    organizations: await rows.organizations.page(page),
    users: await rows.users.page(page),
    connections: await rows.connections.page(page),
    integrations: await rows.integrations.page(page),
    api_keys: await rows.api_keys.page(page),
  }))
}

describe('onboarding', () => {
  it('answers the groups that were sent with ids, a top-level id and a sandbox secret key', async () => {
    const { call, send } = await openOffice()
    const reply = await call<Onboarded>('POST', path, { body: entity })
    expect(outcome(reply)).toEqual([200, 'health_status_ok'])
    const { id, apiKey, ledger, ...groups } = reply.body.data
    expect(groups).toEqual({
      organization: { id, ...entity.organization },
      integrations: entity.integrations,
      user: { id: groups.user.id, name: 'Ada', email: 'ada@acme.example' },
    })
    expect(groups.user.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(ledger).toEqual(
      entity.ledger.map(({ token: _token, ...one }) => ({
        ...one,
        connectionId: expect.stringMatching(new RegExp(`^conn_test_${id}_[0-9A-Za-z]{16}$`)),
      })),
    )
    expect(apiKey).toMatch(/^sk_test_[0-9A-Za-z]{43}$/)
    const account = await send('GET', '/account', { key: apiKey })
    expect(account.body).toMatchObject({ id, name: 'Acme', environment: 'sandbox' })
  })

  it('echoes, keeps and logs neither the password nor a token', async () => {
    const office = await openOffice()
    const { text, body } = await office.call<Onboarded>('POST', path, { body: entity })
    const rows = await rowsOf(office, body.data.id)
    expect(rows.connections).toHaveLength(2)
    expect(rows.integrations).toHaveLength(1)
    const stored = JSON.stringify(rows)
    for (const secret of ['correct horse', 'ledger-token']) {
      expect(text).not.toContain(secret)
      expect(stored).not.toContain(secret)
      expect(office.logged.join()).not.toContain(secret)
    }
    expect(stored).not.toContain('api-pass')
    expect(stored).not.toContain(body.data.apiKey)
  })

  it('keeps a password as its salted scrypt hash, with the parameters', async () => {
    const office = await openOffice()
    const hashes: string[] = []
    for (const body of [entity, another]) {
      const { data } = (await office.call<Onboarded>('POST', path, { body })).body
      hashes.push((await rowsOf(office, data.id)).users[0]?.password_hash ?? '')
    }
    expect(hashes[0]).not.toBe(hashes[1])
    for (const hash of hashes) {
      const [kind, N, r, p, salt = '', expected = ''] = hash.split('$')
      expect([kind, N, r, p]).toEqual(['scrypt', '16384', '8', '5'])
      const cost = { N: Number(N), r: Number(r), p: Number(p) }
      const key = scryptSync('correct horse', Buffer.from(salt, 'base64url'), 32, cost)
      expect(key.toString('base64url')).toBe(expected)
    }
  })

  const taken: [string, object, string][] = [
    ['slug', { ...another, organization: { ...another.organization, slug: 'acme' } }, 'organization.slug'],
    [
      'e-mail of the organization',
      { ...another, organization: { ...another.organization, email: 'OFFICE@acme.example' } },
      'organization.email',
    ],
    [
      'e-mail of the user',
      { ...another, user: { ...another.user, email: 'Ada@ACME.example' } },
      'user.email',
    ],
  ]
  it.each(taken)(
    'answers resource_already_exists for a taken %s, and leaves nothing',
    async (_what, body, field) => {
      const { call } = await openOffice()
      await call('POST', path, { body: entity })
      const reply = await call('POST', path, { body })
      expect(outcome(reply)).toEqual([409, 'resource_already_exists'])
      expect(reply.body).toMatchObject({ message: `Another one has this ${field}.`, data: null })
      // Whatever else it would have taken is still free.
      expect((await call('POST', path, { body: another })).status).toBe(200)
    },
  )

  it('makes one of several that come at once with the same names', async () => {
    const { call } = await openOffice()
    const replies = await Promise.all([1, 2, 3, 4].map(() => call('POST', path, { body: entity })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })

  it('makes connections that a historical sync can name', async () => {
    const { call } = await openOffice({ connectors: { ledger: emptyLedger } })
    const { data } = (await call<Onboarded>('POST', path, { body: entity })).body
    const body = { connectionId: data.ledger[1]?.connectionId, jobType: 'sync_invoice' }
    expect(outcome(await call('POST', '/back-office/sync/historical', { body }))).toEqual([
      200,
      'health_status_ok',
    ])
  })
})

const emptyPage = async () => ({ kind: 'page' as const, records: [], rejected: [], cursor: null })
const emptyLedger = { customers: emptyPage, invoices: emptyPage }

describe('the entity to onboard', () => {
  it('may have no integrations', async () => {
    const { call } = await openOffice()
    expect((await call('POST', path, { body: { ...entity, integrations: [] } })).status).toBe(200)
  })

  it('may have one e-mail address for the organization and its user', async () => {
    const { call } = await openOffice()
    const { email } = entity.organization
    expect((await call('POST', path, { body: changed('user', { email }) })).status).toBe(200)
  })

  it.each([null, 'text', 1.5, [], {}, false])(
    'may have any JSON as a configuration: %j',
    async (configuration) => {
      const { call } = await openOffice()
      const integrations = [{ serviceTypeId: 's', ledgerSiteId: 'l', configuration }]
      const reply = await call<typeof entity>('POST', path, { body: { ...entity, integrations } })
      expect(reply.body.data.integrations).toEqual(integrations)
    },
  )

  it('names every invalid field', async () => {
    const { call } = await openOffice()
    const reply = await call<{ path: string; message: string }[]>('POST', path, {
      body: {
        organization: { ...entity.organization, email: 'nobody', slug: '' },
        ledger: [{ ledgerAPIBaseUrl: 'https://a.example', ledgerSiteId: 'x', token: 7, extra: 1 }],
        user: { name: 'Ada', email: 'ada@acme.example' },
        more: true,
      },
    })
    expect(outcome(reply)).toEqual([422, 'validation_error'])
    expect(reply.body.data.map((issue) => issue.path).sort()).toEqual([
      'integrations',
      'ledger[0].extra',
      'ledger[0].token',
      'more',
      'organization.email',
      'organization.slug',
      'user.password',
    ])
    for (const { message } of reply.body.data) expect(message).not.toBe('')
  })

  it.each(['organization', 'ledger', 'integrations', 'user'])('needs the group %s', async (group) => {
    const { call } = await openOffice()
    const reply = await call('POST', path, { body: { ...entity, [group]: undefined } })
    expect(outcome(reply)).toEqual([422, 'validation_error'])
    expect(reply.body.data).toMatchObject([{ path: group }])
  })

  const invalid: [string, object][] = [
    ['organization.email', changed('organization', { email: 'a@' })],
    ['organization.name', changed('organization', { name: '' })],
    ['organization.website', changed('organization', { website: null })],
    ['user.email', changed('user', { email: 'ada' })],
    ['user.password', changed('user', { password: '' })],
    ['ledger', { ...entity, ledger: [] }],
    ...['no address', 'http://l.example', 'https://u@l.example', 'https://:p@l.example'].map(
      (ledgerAPIBaseUrl): [string, object] => [
        'ledger[0].ledgerAPIBaseUrl',
        { ...entity, ledger: [{ ...entity.ledger[0], ledgerAPIBaseUrl }] },
      ],
    ),
    [
      'integrations[0].configuration',
      { ...entity, integrations: [{ serviceTypeId: 's', ledgerSiteId: 'l' }] },
    ],
  ]
  it.each(invalid)('answers validation_error on %s', async (field, body) => {
    const { call } = await openOffice()
    const reply = await call('POST', path, { body })
    expect(outcome(reply)).toEqual([422, 'validation_error'])
    expect(reply.body.data).toMatchObject([{ path: field }])
  })

  it('may have a ledger behind http where insecure destinations are allowed', async () => {
    const { call } = await openOffice({ allowInsecureDestinations: true })
    const ledger = [{ ledgerAPIBaseUrl: 'http://localhost:9', ledgerSiteId: 'x', token: 't' }]
    expect((await call('POST', path, { body: { ...entity, ledger } })).status).toBe(200)
  })
})
