import { describe, expect, it } from 'vitest'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import {
  draftedInvoice,
  eventTypesOf,
  newCustomer,
  refund,
  sentInvoice,
  shownInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'
import { refusal } from '../operations/refusals.ts'

type Done = Result<{ id: string }, DomainError>
type Case = [action: string, run: (sandbox: Sandbox) => Promise<Done>]

const url = 'https://receiver.example.com/hooks'

const endpoint = async ({ engine, caller }: Sandbox) =>
  accepted(await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] })).id

const ada = ({ scope }: Sandbox) => ({ ...scope, by: 'ada' })

/** Every action of the dashboard, and what is there before it: made by others than the user who acts. */
const cases: Case[] = [
  ['workspaces.update', async (s) => s.engine.admin.workspaces.update(ada(s), { name: 'Acme Inc.' })],
  ['keys.create', async (s) => s.engine.admin.keys.create(ada(s), { type: 'secret' })],
  [
    'keys.rotate',
    async (s) => {
      const { id } = accepted(await s.engine.admin.keys.create(s.scope, { type: 'secret' }))
      return s.engine.admin.keys.rotate(ada(s), { id })
    },
  ],
  [
    'keys.revoke',
    async (s) => {
      const { id } = accepted(await s.engine.admin.keys.create(s.scope, { type: 'secret' }))
      return s.engine.admin.keys.revoke(ada(s), { id })
    },
  ],
  [
    'customers.create',
    async (s) => {
      const contact = { name: '', email: '', phone: '' }
      return s.engine.admin.customers.create(ada(s), { reference: 'C-1', ...contact })
    },
  ],
  [
    'customers.update',
    async (s) => s.engine.admin.customers.update(ada(s), { id: await newCustomer(s), name: 'Ada' }),
  ],
  [
    'invoices.draft',
    async (s) => {
      const customer = await newCustomer(s)
      const dates = { invoice_date: '2026-01-31', due_date: '2026-02-28' }
      return s.engine.admin.invoices.draft(ada(s), { customer, currency: 'USD', total: 5, ...dates })
    },
  ],
  [
    'invoices.schedule',
    async (s) => s.engine.admin.invoices.schedule(ada(s), { id: await draftedInvoice(s) }),
  ],
  ['invoices.send', async (s) => s.engine.admin.invoices.send(ada(s), { id: await draftedInvoice(s) })],
  ['invoices.revokeLinks', async (s) => s.engine.admin.invoices.revokeLinks(ada(s), await sent(s))],
  ['invoices.cancel', async (s) => s.engine.admin.invoices.cancel(ada(s), await sent(s))],
  ['invoices.writeOff', async (s) => s.engine.admin.invoices.writeOff(ada(s), await sent(s))],
  [
    'webhook_endpoints.register',
    async (s) => s.engine.admin.webhook_endpoints.register(ada(s), { url, enabled_events: ['*'] }),
  ],
  [
    'webhook_endpoints.update',
    async (s) =>
      s.engine.admin.webhook_endpoints.update(ada(s), { id: await endpoint(s), status: 'disabled' }),
  ],
  [
    'webhook_endpoints.delete',
    async (s) => s.engine.admin.webhook_endpoints.delete(ada(s), { id: await endpoint(s) }),
  ],
  [
    'payments.void',
    async (s) => {
      const { id } = accepted(await pay(s, 'btok_test_success'))
      return s.engine.admin.payments.void(ada(s), { id })
    },
  ],
  [
    'refunds.create',
    async (s) => {
      const { id: payment } = accepted(await pay(s, 'tok_test_visa'))
      return s.engine.admin.refunds.create(ada(s), { payment })
    },
  ],
]

async function sent(sandbox: Sandbox) {
  const { id } = await sentInvoice(sandbox)
  return { id }
}

async function entries({ engine, scope }: Sandbox) {
  const { data } = accepted(await engine.admin.audit.list(scope, { limit: 100 }))
  return data.filter(({ actor }) => actor === 'ada')
}

it('a workspace that cannot be created says which of its parameters is in the way', async () => {
  const { engine } = await openSandbox()
  await expect(engine.admin.workspaces.create({} as { name: string })).rejects.toThrow(
    '`name`: This parameter is required.',
  )
})

describe('an action of the dashboard', () => {
  it.each(cases)('%s leaves one entry: who, what, to what, and when', async (action, run) => {
    const sandbox = await openSandbox()
    const { id } = accepted(await run(sandbox))
    expect(await entries(sandbox)).toMatchObject([
      { actor: 'ada', action, target: id, created_at: '2026-01-31T12:00:00.000Z', ...sandbox.scope },
    ])
  })

  it('is every one there is', async () => {
    const { admin } = (await openSandbox()).engine
    const verbs = Object.entries(admin).flatMap(([noun, of]) =>
      Object.keys(of)
        .filter((verb) => verb !== 'list')
        .map((verb) => `${noun}.${verb}`),
    )
    expect(verbs.sort()).toEqual(
      expect.arrayContaining([...cases.map(([action]) => action), 'workspaces.create'].sort()),
    )
  })

  it('that made the workspace is its first entry, by the host where nobody is named', async () => {
    const { engine } = await openSandbox()
    const { id: workspace } = await engine.admin.workspaces.create({ name: 'Two', by: 'ada' })
    const { id: third } = await engine.admin.workspaces.create({ name: 'Three' })
    for (const [one, actor] of [
      [workspace, 'ada'],
      [third, 'host'],
    ]) {
      const scope = { workspace: one ?? '', livemode: false }
      const { data } = accepted(await engine.admin.audit.list(scope))
      expect(data).toMatchObject([{ actor, action: 'workspaces.create', target: one }])
    }
  })

  it('that was refused leaves none', async () => {
    const sandbox = await openSandbox()
    const { engine } = sandbox
    const by = ada(sandbox)
    const none = { id: 'none' }
    const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
    const refused = await Promise.all([
      engine.admin.keys.rotate(by, none),
      engine.admin.keys.revoke(by, none),
      engine.admin.customers.update(by, none),
      engine.admin.invoices.send(by, none),
      engine.admin.invoices.writeOff(by, none),
      engine.admin.invoices.cancel(by, none),
      engine.admin.webhook_endpoints.delete(by, none),
      engine.admin.webhook_endpoints.register(by, { url: 'http://localhost', enabled_events: ['*'] }),
      engine.admin.payments.void(by, { id: payment }),
      engine.admin.refunds.create(by, { payment, amount: 1001 }),
      engine.admin.refunds.create(by, { payment: 'none' }),
    ])
    expect(refused.every((result) => result.isErr())).toBe(true)
    expect(await entries(sandbox)).toEqual([])
  })

  it('that the processor refused leaves one: it was asked', async () => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, 'btok_test_success'))
    sandbox.clock.advance(2 * 86_400_000)
    expect(refusal(await sandbox.engine.admin.payments.void(ada(sandbox), { id }))).toEqual({
      code: 'conflict',
    })
    expect(await entries(sandbox)).toMatchObject([{ action: 'payments.void', target: id }])
  })

  it('is kept apart by environment', async () => {
    const sandbox = await openSandbox()
    const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
    accepted(await sandbox.engine.admin.keys.create(ada(live), { type: 'secret' }))
    expect(await entries(sandbox)).toEqual([])
    expect(await entries(live)).toHaveLength(1)
  })
})

describe('a refund in the dashboard', () => {
  it('of a payment of the API is announced like one made through POST /refunds', async () => {
    const sandbox = await openSandbox()
    const { id: payment } = accepted(await pay(sandbox, 'tok_test_refund_pending'))
    const made = accepted(await sandbox.engine.admin.refunds.create(ada(sandbox), { payment, amount: 7 }))
    expect(await eventTypesOf(sandbox, made.id)).toEqual(['refund.pending'])
    expect(refusal(await refund(sandbox, { payment }))).toEqual({ code: 'refund_in_flight' })
  })

  it('is made once however often it is asked for under one key, which is another than the merchant’s', async () => {
    const sandbox = await openSandbox()
    const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
    const input = { payment, amount: 300 }
    const give = async (options?: { idempotency_key: string }) =>
      accepted(await sandbox.engine.admin.refunds.create(ada(sandbox), input, options)).id
    const { refunds } = sandbox.engine
    accepted(await refunds.create(sandbox.caller, input, { idempotency_key: 'a-click' }))
    const first = await give({ idempotency_key: 'a-click' })
    expect(await give({ idempotency_key: 'a-click' })).toBe(first)
    expect(await give()).not.toBe(first)
    // It gave money back at each call.
    const misnamed = { idempotencyKey: 'a-click' } as object as { idempotency_key: string }
    await expect(give(misnamed)).rejects.toThrow('`idempotencyKey`')
    expect(sandbox.processor.ledger.refunds().map(({ amount }) => amount)).toEqual([300, 300, 300])
  })

  it('takes every key that the header may have, and refuses any other', async () => {
    const sandbox = await openSandbox()
    const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
    const give = (idempotency_key: string) =>
      sandbox.engine.admin.refunds.create(ada(sandbox), { payment, amount: 400 }, { idempotency_key })
    const longest = 'k'.repeat(255)
    const { id } = accepted(await give(longest))
    expect(accepted(await give(longest)).id).toBe(id)
    expect(accepted(await give(`${longest.slice(1)}l`)).id).not.toBe(id)
    for (const key of [`${longest}k`, '', 'a click'])
      expect(refusal(await give(key))).toEqual({ code: 'idempotency_key_invalid' })
  })
})

describe('an invoice in the dashboard', () => {
  it('takes the ERP id of no other, and names a customer that is there', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const customer = await newCustomer(sandbox)
    const dates = { invoice_date: '2026-01-31', due_date: '2026-02-28' }
    const draft = { customer, external_id: 'E1', currency: 'USD' as const, total: 5, ...dates }
    const { id } = accepted(await engine.admin.invoices.draft(scope, draft))
    expect(refusal(await engine.admin.invoices.draft(scope, draft))).toEqual({ code: 'conflict' })
    const nobody = await engine.admin.invoices.draft(scope, { ...draft, external_id: null, customer: 'x' })
    expect(refusal(nobody)).toEqual({ code: 'resource_missing', param: 'customer' })
    accepted(await engine.admin.invoices.schedule(scope, { id }))
    expect(refusal(await engine.admin.invoices.schedule(scope, { id }))).toEqual({ code: 'conflict' })
    expect((await shownInvoice(sandbox, id)).external_id).toBe('E1')
  })
})
