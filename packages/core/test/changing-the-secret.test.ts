import { describe, expect, it } from 'vitest'
import { accepted, send } from '../../testing/src/builders/requests.ts'
import { openCheckout } from '../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn } from '../../testing/src/builders/sandbox.ts'

const former = 'the secret that came first, 32 bytes'
const next = new TextEncoder().encode('the secret that came after, 32 bytes')

const entity = {
  organization: { email: 'office@acme.example', name: 'Acme', slug: 'acme', phoneNumber: '', website: '' },
  ledger: [{ ledgerAPIBaseUrl: 'https://ledger.example/api', ledgerSiteId: 'north', token: 'ledger token' }],
  integrations: [{ serviceTypeId: 'mail', ledgerSiteId: 'north', configuration: { pass: 'word' } }],
  user: { name: 'Ada', email: 'ada@acme.example', password: 'correct horse' },
}

const hook = { url: 'https://hooks.example.com/hook', enabled_events: ['*' as const] }

/** Everything that hangs on a secret, made with the former one. */
async function openFormer() {
  const sandbox = await openSandbox({ secret: former })
  const { engine } = sandbox
  const register = send(sandbox, 'webhook_endpoints.create', { input: hook, key: 'register' })
  const open = send(sandbox, 'payment_method_sessions.create', { input: {}, key: 'open' })
  const answers = { register: await register, open: await open }
  const { id, client_secret } = JSON.parse(answers.open.body) as { id: string; client_secret: string }
  const { url } = await openCheckout(sandbox)
  accepted(await engine.backOffice.onboardEntity(entity))
  return { ...sandbox, answers, session: { id, client_secret }, page: String(url).split('/').at(-1) ?? '' }
}

/** The tables with rows that the engine cannot open. */
async function unopened({ engine }: Pick<Sandbox, 'engine'>): Promise<string[]> {
  const { violations } = await engine.verify()
  return [...new Set(violations.map(({ table }) => table))].sort()
}

describe('an engine with several secrets', () => {
  it.each([
    ['before', [former, next]],
    ['after', [next, former]],
  ])('opens what the former one made, %s it changes', async (_, secret) => {
    const sandbox = await openFormer()
    const { answers, session, page } = sandbox
    const both = sandbox.another({ secret })
    expect(await unopened(both)).toEqual([])
    expect(both.engine.isClientSecret(session.id, session.client_secret)).toBe(true)
    expect(await both.engine.pages.checkout(page)).not.toBeNull()
    const again = await send(both, 'webhook_endpoints.create', { input: hook, key: 'register' })
    expect(again).toEqual({ ...answers.register, replayed: true })
    const { secret: signing } = JSON.parse(answers.register.body) as { secret: string }
    await openCheckoutThatExpires(both)
    expect((await both.engine.deliveries.claim(1)).map(({ secret }) => secret)).toEqual([signing])
  })

  it('makes what is new with the first of them', async () => {
    const sandbox = await openFormer()
    const both = sandbox.another({ secret: [next, former] })
    const { body } = await send(both, 'payment_method_sessions.create', { input: {}, key: 'new' })
    const { id, client_secret } = JSON.parse(body) as { id: string; client_secret: string }
    const { url } = await openCheckout(both)
    const isOpenTo = async ({ engine }: Pick<Sandbox, 'engine'>) => [
      engine.isClientSecret(id, client_secret),
      (await engine.pages.checkout(String(url).split('/').at(-1) ?? '')) !== null,
    ]
    expect(await isOpenTo(sandbox.another({ secret: next }))).toEqual([true, true])
    expect(await isOpenTo(sandbox)).toEqual([false, false])
  })

  it.each([[[]], [[next, 'too short']], [['too short', next]], [[undefined]]])(
    'takes no %j',
    async (secret) => {
      const { another } = await openSandbox()
      expect(() => another({ secret: secret as string[] })).toThrow('a `secret` of at least 32 bytes')
    },
  )
})

describe('sealing again', () => {
  it('leaves the former secret nothing but answers, which are forgotten with their keys', async () => {
    const sandbox = await openFormer()
    const both = sandbox.another({ secret: [next, former] })
    const alone = sandbox.another({ secret: next })
    const sealed = ['connections', 'idempotency_keys', 'integrations', 'webhook_endpoints']
    expect(await unopened(alone)).toEqual(sealed)
    expect(await both.engine.reseal()).toEqual({ resealed: 3, unopened: 0 })
    expect(await unopened(alone)).toEqual(['idempotency_keys'])
    sandbox.clock.advance(73 * 3_600_000)
    await alone.engine.reconcile()
    expect(await unopened(alone)).toEqual([])
  })

  it('does each row once, whoever else does so', async () => {
    const sandbox = await openFormer()
    const both = () => sandbox.another({ secret: [next, former] }).engine
    const counts = await Promise.all([both().reseal(), both().reseal()])
    expect(counts.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(3)
    expect(await both().reseal()).toEqual({ resealed: 0, unopened: 0 })
  })

  it('reaches both environments of every workspace, as verifying does', async () => {
    const sandbox = await openSandbox({ secret: former })
    const { engine, store } = sandbox
    for (let made = 0; made < 50; made += 1) await engine.admin.workspaces.create({ name: 'Another' })
    const first = await store.workspaces({ limit: 50 })
    const [workspace = ''] = await store.workspaces({ after: first.at(-1), limit: 1 })
    const live = await sandboxIn(sandbox, { workspace, livemode: true })
    accepted(await engine.webhook_endpoints.create(live.caller, hook))
    const alone = sandbox.another({ secret: next })
    expect(await unopened(alone)).toEqual(['webhook_endpoints'])
    expect(await sandbox.another({ secret: [next, former] }).engine.reseal()).toEqual({
      resealed: 1,
      unopened: 0,
    })
    expect(await unopened(alone)).toEqual([])
  })

  it('leaves what no secret opens as it is, and says so', async () => {
    const sandbox = await openFormer()
    const stranger = sandbox.another({ secret: 'a secret that the engine never had' })
    expect(await stranger.engine.reseal()).toEqual({ resealed: 0, unopened: 3 })
    expect(await unopened(sandbox)).toEqual([])
  })
})

async function openCheckoutThatExpires(sandbox: Sandbox): Promise<void> {
  const { id } = await openCheckout(sandbox)
  accepted(await sandbox.engine.checkout_sessions.expire(sandbox.caller, { id }))
}
