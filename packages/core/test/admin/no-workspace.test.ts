import { describe, expect, it } from 'vitest'
import { draftedInvoice } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'
import type { Scope } from '../../src/ports/store.ts'
import { refusal } from '../operations/refusals.ts'

type Admin = Sandbox['engine']['admin']
type Case = [action: string, run: (admin: Admin, scope: Scope) => Promise<Result<unknown, DomainError>>]

/** What needs nothing that is there already: a mistyped workspace would get it without a word. */
const cases: Case[] = [
  ['workspaces.update', async (admin, scope) => admin.workspaces.update(scope, { name: 'Acme' })],
  ['keys.create', async (admin, scope) => admin.keys.create(scope, { type: 'secret' })],
  [
    'customers.create',
    async (admin, scope) =>
      admin.customers.create(scope, { reference: 'c', name: 'C', email: 'c@c.co', phone: '' }),
  ],
  [
    'webhook_endpoints.register',
    async (admin, scope) =>
      admin.webhook_endpoints.register(scope, { url: 'https://a.example.com', enabled_events: ['*'] }),
  ],
]

const missing = { code: 'resource_missing', param: 'workspace' }

describe.each([false, true])('in a workspace that is not there, livemode %s', (livemode) => {
  it.each(cases)('%s is refused and leaves no audit entry', async (_action, run) => {
    const { engine } = await openSandbox()
    const nowhere = { workspace: 'nobody', livemode }
    expect(refusal(await run(engine.admin, nowhere))).toEqual(missing)
    expect((await engine.admin.audit.list(nowhere))._unsafeUnwrap().data).toEqual([])
  })

  it('there is nothing to verify, and nothing that could be found right', async () => {
    const { engine } = await openSandbox()
    const nowhere = { workspace: 'nobody', livemode }
    await expect(engine.verify({ scope: nowhere })).rejects.toThrow('There is no workspace nobody.')
  })

  it('a ledger is not connected', async () => {
    const { engine } = await openSandbox()
    const place = { kind: 'ledger', base_url: 'https://ledger.example.com', site_id: 'here', token: 'secret' }
    const connected = engine.backOffice.connect({ workspace: 'nobody', livemode }, place)
    await expect(connected).rejects.toThrow('There is no workspace nobody.')
  })
})

it.each(['kind', 'base_url', 'site_id', 'token'])(
  'a ledger is not connected without its %s',
  async (name) => {
    const { engine, scope } = await openSandbox()
    const place = { kind: 'ledger', base_url: 'https://ledger.example.com', site_id: 'here', token: 'secret' }
    const connected = engine.backOffice.connect(scope, { ...place, [name]: undefined })
    await expect(connected).rejects.toThrow(`A connection has a \`${name}\``)
  },
)

it('an action that needs a record names that record as missing only where the workspace is there', async () => {
  const sandbox = await openSandbox()
  const { engine, scope } = sandbox
  const id = await draftedInvoice(sandbox)
  expect(refusal(await engine.admin.invoices.send({ ...scope, workspace: 'nobody' }, { id }))).toEqual(
    missing,
  )
  expect(refusal(await engine.admin.invoices.send({ ...scope, livemode: true }, { id }))).toEqual({
    code: 'resource_missing',
  })
})
