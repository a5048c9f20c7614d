import { describe, expect, it } from 'vitest'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { hashKey } from '../../src/api-keys/hash-key.ts'
import type { Scope } from '../../src/ports/store.ts'
import { refusal } from '../operations/refusals.ts'

const nowhere = { ip_address: null, user_agent: null }

const authenticate = ({ engine }: Sandbox, key: string) => engine.authenticate(`Bearer ${key}`, nowhere)

type NewKey = Parameters<Sandbox['engine']['admin']['keys']['create']>[1]

async function scopesOf(sandbox: Sandbox, input: NewKey) {
  const { key } = accepted(await sandbox.engine.admin.keys.create(sandbox.scope, input))
  return accepted(await authenticate(sandbox, key)).caller.scopes
}

const groups = {
  payment_methods: ['payment_methods:read', 'payment_methods:write'],
  payments: ['payments:read', 'payments:write'],
  webhooks: ['webhooks:read', 'webhooks:write'],
  customers: ['customers:read', 'customers:write'],
} as const

it('takes scopes in groups or one by one, and not one of the two for the other', async () => {
  const { engine, scope } = await openSandbox()
  const both = { type: 'secret', groups: ['payments'], scopes: ['webhooks:read'] } as const
  const refused = refusal(
    await engine.admin.keys.create(scope, { ...both, groups: [...both.groups], scopes: [...both.scopes] }),
  )
  expect(refused).toMatchObject({ code: 'parameter_invalid', param: 'scopes' })
})

describe('an API key', () => {
  it.each([
    ['secret', false, /^sk_test_[0-9A-Za-z]{43}$/],
    ['secret', true, /^sk_live_[0-9A-Za-z]{43}$/],
    ['publishable', false, /^pk_test_[0-9A-Za-z]{43}$/],
    ['publishable', true, /^pk_live_[0-9A-Za-z]{43}$/],
  ] as const)(
    'that is %s and live: %s says so in its prefix, and opens its environment',
    async (type, livemode, form) => {
      const sandbox = await openSandbox()
      const { key } = accepted(
        await sandbox.engine.admin.keys.create({ ...sandbox.scope, livemode }, { type }),
      )
      expect(key).toMatch(form)
      const { caller } = accepted(await authenticate(sandbox, key))
      expect([caller.livemode, caller.key, caller.workspace.id]).toEqual([
        livemode,
        type,
        sandbox.scope.workspace,
      ])
    },
  )

  it('has its scopes in groups, read and write together, all of them by default', async () => {
    const sandbox = await openSandbox()
    expect(await scopesOf(sandbox, { type: 'secret' })).toEqual(Object.values(groups).flat())
    for (const group of ['payment_methods', 'payments', 'webhooks', 'customers'] as const)
      expect(await scopesOf(sandbox, { type: 'secret', groups: [group] })).toEqual(groups[group])
    expect(await scopesOf(sandbox, { type: 'secret', groups: [] })).toEqual([])
    expect(await scopesOf(sandbox, { type: 'secret', scopes: ['payments:read'] })).toEqual(['payments:read'])
  })

  it('that is publishable has the one scope it may have, whatever was asked', async () => {
    const sandbox = await openSandbox()
    for (const asked of [{}, { groups: ['payments' as const] }])
      expect(await scopesOf(sandbox, { type: 'publishable', ...asked })).toEqual(['payment_methods:tokenize'])
  })

  it('is shown once: kept are a hash and a few characters from each end', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const { id, key } = accepted(await engine.admin.keys.create(scope, { type: 'secret', name: 'server' }))
    const { api_keys } = await readRows(sandbox.store, scope)
    expect(JSON.stringify(api_keys)).not.toContain(key)
    expect(api_keys).toMatchObject([{ id, hash: hashKey(key), start: key.slice(0, 12), end: key.slice(-4) }])
    const { data } = accepted(await engine.admin.keys.list(scope))
    expect(data).toMatchObject([{ id, name: 'server', start: key.slice(0, 12), revoked_at: null }])
    expect(data[0]).not.toHaveProperty('hash')
  })

  it('that is rotated has a successor of the same type, name and scopes, and works until it is revoked', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const input = { type: 'secret' as const, name: 'server', groups: ['payments' as const] }
    const old = accepted(await engine.admin.keys.create(scope, input))
    const successor = accepted(await engine.admin.keys.rotate(scope, { id: old.id }))
    expect(successor.key).not.toBe(old.key)
    const callers = [old, successor].map(async ({ key }) => accepted(await authenticate(sandbox, key)).caller)
    const [before, after] = await Promise.all(callers)
    expect(after).toEqual(before)
    const { data } = accepted(await engine.admin.keys.list(scope))
    expect(data.map(({ name, type }) => [name, type])).toEqual(Array(2).fill(['server', 'secret']))
    accepted(await engine.admin.keys.revoke(scope, { id: old.id }))
    expect(refusal(await authenticate(sandbox, old.key))).toEqual({ code: 'invalid_api_key' })
    expect((await authenticate(sandbox, successor.key)).isOk()).toBe(true)
  })

  it('that is revoked answers invalid_api_key from the next request on, in every process, for good', async () => {
    const sandbox = await openSandbox()
    const { engine, scope, clock } = sandbox
    const { id, key } = accepted(await engine.admin.keys.create(scope, { type: 'secret' }))
    expect((await authenticate(sandbox, key)).isOk()).toBe(true)
    const { revoked_at } = accepted(await engine.admin.keys.revoke(scope, { id }))
    for (const process of [sandbox, sandbox.another()])
      expect(refusal(await authenticate(process, key))).toEqual({ code: 'invalid_api_key' })
    clock.advance(1000)
    expect(accepted(await engine.admin.keys.revoke(scope, { id })).revoked_at).toBe(revoked_at)
  })

  it('of another environment or workspace can be neither rotated nor revoked', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const { id, key } = accepted(await engine.admin.keys.create(scope, { type: 'secret' }))
    const { id: workspace } = await engine.admin.workspaces.create({ name: 'Other' })
    for (const other of [
      { ...scope, livemode: true },
      { workspace, livemode: false },
    ]) {
      expect(refusal(await engine.admin.keys.rotate(other, { id })).code).toBe('resource_missing')
      expect(refusal(await engine.admin.keys.revoke(other, { id })).code).toBe('resource_missing')
      expect(accepted(await engine.admin.keys.list(other)).data).toEqual([])
    }
    expect((await authenticate(sandbox, key)).isOk()).toBe(true)
  })

  it.each([
    [undefined, 'api_key_missing'],
    ['', 'api_key_missing'],
    ['Basic abc', 'invalid_api_key'],
    ['sk_test_none', 'invalid_api_key'],
    ['Bearer', 'api_key_missing'],
    ['Bearer ', 'api_key_missing'],
    ['Bearer sk_test_none', 'invalid_api_key'],
  ])('is not in %o', async (header, code) => {
    const { engine } = await openSandbox()
    expect(refusal(await engine.authenticate(header, nowhere))).toEqual({ code })
  })
})

describe('the switches of a workspace', () => {
  it('are kept for both environments, each without touching the other, and seen by the next request', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const live = { ...scope, livemode: true }
    const { key } = accepted(await engine.admin.keys.create(live, { type: 'secret' }))
    const switches = async () => {
      const { workspace } = accepted(await authenticate(sandbox, key)).caller
      return [workspace.name, workspace.api_enabled, workspace.refunds_enabled]
    }
    expect(await switches()).toEqual(['Acme', true, true])
    accepted(await engine.admin.workspaces.update(scope, { api_enabled: false }))
    expect(await switches()).toEqual(['Acme', false, true])
    accepted(await engine.admin.workspaces.update(scope, { refunds_enabled: false, name: 'Acme Inc.' }))
    expect(await switches()).toEqual(['Acme Inc.', false, false])
    accepted(await engine.admin.workspaces.update(scope, { api_enabled: true }))
    expect(await switches()).toEqual(['Acme Inc.', true, false])
  })

  it('can be flipped from the live environment too', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const live = { ...scope, livemode: true }
    expect(accepted(await engine.admin.workspaces.update(live, { refunds_enabled: false }))).toMatchObject({
      refunds_enabled: false,
    })
    expect((await engine.caller(scope)).workspace.refunds_enabled).toBe(false)
  })
})

describe('an endpoint registered by a user', () => {
  it('answers its secret once, is sent events like any other, and names whom to tell of a pause', async () => {
    const sandbox = await openSandbox()
    const { engine, scope, caller } = sandbox
    const input = { url: 'https://receiver.example.com/hooks', enabled_events: ['*' as const] }
    const actor = { ...scope, by: 'ada' }
    const endpoint = accepted(await engine.admin.webhook_endpoints.register(actor, input))
    expect(endpoint.secret).toMatch(/^whsec_/)
    accepted(await pay(sandbox, 'tok_test_visa'))
    const { data } = accepted(await engine.admin.deliveries.list(scope))
    expect(data).toMatchObject([{ endpoint: endpoint.id, status: 'pending', origin: 'emit' }])
    const { webhook_endpoints } = await readRows(sandbox.store, scope)
    expect(webhook_endpoints.map(({ registered_by }) => registered_by)).toEqual(['ada'])
    const shown = accepted(await engine.webhook_endpoints.retrieve(caller, { id: endpoint.id }))
    expect(shown).not.toHaveProperty('secret')
    const live = await sandboxIn(sandbox, { ...scope, livemode: true })
    expect(accepted(await live.engine.admin.deliveries.list(live.scope)).data).toEqual([])
  })

  it('can be paused, resumed and deleted by a user as by a key', async () => {
    const sandbox = await openSandbox()
    const { engine, scope, caller } = sandbox
    const input = { url: 'https://receiver.example.com/hooks', enabled_events: ['*' as const] }
    const { id } = accepted(await engine.admin.webhook_endpoints.register(scope, input))
    for (const status of ['disabled', 'enabled'] as const) {
      accepted(await engine.admin.webhook_endpoints.update(scope, { id, status }))
      expect(accepted(await engine.webhook_endpoints.retrieve(caller, { id })).status).toBe(status)
    }
    accepted(await engine.admin.webhook_endpoints.delete(scope, { id }))
    expect(refusal(await engine.webhook_endpoints.retrieve(caller, { id })).code).toBe('resource_missing')
  })
})

it.each([
  [undefined, false],
  ['acme', undefined],
  ['acme', 'false'],
])(
  'a scope of workspace %j and livemode %j is refused before anything is made, listed, verified or used in it',
  async (...of) => {
    const { engine } = await openSandbox()
    const scope = { workspace: of[0], livemode: of[1] } as Scope
    const refused = /^A scope has a `workspace`/
    await expect((async () => engine.admin.keys.create(scope, { type: 'secret' }))()).rejects.toThrow(refused)
    await expect(engine.admin.keys.list(scope)).rejects.toThrow(refused)
    await expect(engine.caller(scope)).rejects.toThrow(refused)
    await expect(engine.verify({ scope })).rejects.toThrow(refused)
    const ledger = { kind: 'ledger', base_url: 'https://ledger.example.com', site_id: '1', token: 't' }
    await expect(engine.backOffice.connect(scope, ledger)).rejects.toThrow(refused)
  },
)

it.each([17, null, 'ada\0', '\ud800'])('an actor `by` %j is refused before anything is made', async (by) => {
  const { engine, scope } = await openSandbox()
  const refused = /^`by` names a user/
  const { keys, payments, refunds } = engine.admin
  const actor = { ...scope, by } as Scope
  const before = accepted(await keys.list(scope)).data.length
  await expect((async () => keys.create(actor, { type: 'secret' }))()).rejects.toThrow(refused)
  await expect((async () => payments.void(actor, { id: 'pay' }))()).rejects.toThrow(refused)
  await expect((async () => refunds.create(actor, { payment: 'pay' }))()).rejects.toThrow(refused)
  expect(accepted(await keys.list(scope)).data).toHaveLength(before)
})
