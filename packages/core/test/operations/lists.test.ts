import { describe, expect, it } from 'vitest'
import { accepted, createdMethod, pay } from '../../../testing/src/builders/requests.ts'
import { newCustomer } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from './refusals.ts'

type ListQuery = { limit?: number; starting_after?: string }

/** Ids of all pages, walked as a client does. */
async function walk(list: (query: ListQuery) => Promise<{ data: { id: string }[]; has_more: boolean }>) {
  const pages: string[][] = []
  let starting_after: string | undefined
  for (;;) {
    const { data, has_more } = await list({ limit: 2, ...(starting_after ? { starting_after } : {}) })
    pages.push(data.map(({ id }) => id))
    if (!has_more) return pages
    starting_after = data.at(-1)?.id
  }
}

async function payments(sandbox: Sandbox, count: number) {
  const made = []
  for (let n = 0; n < count; n += 1) made.push(accepted(await pay(sandbox, 'tok_test_visa')).id)
  return made.reverse()
}

describe('a list', () => {
  it('is the first page where nothing else is asked for', async () => {
    const { engine, caller } = await openSandbox()
    const list = engine.payments.list as (of: typeof caller) => ReturnType<typeof engine.payments.list>
    expect(accepted(await list(caller))).toEqual(accepted(await engine.payments.list(caller, {})))
  })

  it('is asked for by a caller, and not by the promise of one', async () => {
    const { engine, scope } = await openSandbox()
    const promised = engine.caller(scope)
    for (const nobody of [promised, scope, undefined]) {
      const asking = (async () => engine.payments.list(nobody as unknown as Awaited<typeof promised>, {}))()
      await expect(asking).rejects.toThrow('A caller is what `await engine.caller(scope)` gives.')
    }
  })

  it('gives newest first, page by page, and has_more while further pages exist', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const ids = await payments(sandbox, 5)
    const list = async (query: ListQuery) => accepted(await engine.payments.list(caller, query))
    expect(await walk(list)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
    expect(await list({ limit: 5 })).toMatchObject({ object: 'list', has_more: false })
    expect(await list({ limit: 4 })).toMatchObject({ has_more: true })
  })

  it('is not shifted by a record created while walking (R24)', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const ids = await payments(sandbox, 4)
    const pages = await walk(async (query) => {
      const page = accepted(await engine.payments.list(caller, query))
      await pay(sandbox, 'tok_test_visa')
      return page
    })
    expect(pages.flat()).toEqual(ids)
  })

  it.each([0, 101, -1, 1.5])('refuses a limit of %d', async (limit) => {
    const { engine, caller } = await openSandbox()
    const refused = { code: 'parameter_invalid', param: 'limit' }
    expect(refusal(await engine.payments.list(caller, { limit }))).toEqual(refused)
    expect(refusal(await engine.events.list(caller, { limit }))).toEqual(refused)
  })

  it('answers 20 records unless asked otherwise', async () => {
    const sandbox = await openSandbox()
    await payments(sandbox, 21)
    const { data, has_more } = accepted(await sandbox.engine.payments.list(sandbox.caller, {}))
    expect([data.length, has_more]).toEqual([20, true])
  })

  it('refuses starting_after of another workspace, of the other environment and of nothing identically', async () => {
    const sandbox = await openSandbox()
    const { id: workspace } = await sandbox.engine.admin.workspaces.create({ name: 'Other' })
    const other = await sandboxIn(sandbox, { workspace, livemode: false })
    const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
    const foreign = [
      accepted(await pay(other, 'tok_test_visa')).id,
      accepted(await pay(live, 'tok_test_visa')).id,
    ]
    for (const starting_after of [...foreign, 'pay_test_none']) {
      const refused = await sandbox.engine.payments.list(sandbox.caller, { starting_after })
      expect(refusal(refused)).toEqual({ code: 'parameter_invalid', param: 'starting_after' })
    }
    const deleted = await other.engine.webhook_endpoints.create(other.caller, {
      url: 'https://receiver.example.com',
      enabled_events: ['*'],
    })
    const { id: starting_after } = accepted(deleted)
    accepted(await other.engine.webhook_endpoints.delete(other.caller, { id: starting_after }))
    expect(refusal(await other.engine.webhook_endpoints.list(other.caller, { starting_after }))).toEqual({
      code: 'parameter_invalid',
      param: 'starting_after',
    })
  })

  it('filters payments by status and customer, and events by type', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const customer = await newCustomer(sandbox)
    const { id: payment_method } = await createdMethod(sandbox, 'tok_test_visa', { customer })
    const input = { amount: 5, currency: 'usd' as const, payment_method }
    const own = accepted(await engine.payments.create(caller, input, { idempotency_key: 'own' }))
    await pay(sandbox, 'tok_test_declined')
    await pay(sandbox, 'btok_test_success')
    const ids = async (query: object) =>
      accepted(await engine.payments.list(caller, query)).data.map(({ id, status }) => [id, status])
    expect(await ids({ customer })).toEqual([[own.id, 'succeeded']])
    expect((await ids({ status: 'failed' })).map(([, status]) => status)).toEqual(['failed'])
    expect((await ids({ status: 'processing', customer })).length).toBe(0)
    expect(refusal(await engine.payments.list(caller, { status: 'lost' as never }))).toEqual({
      code: 'parameter_invalid',
      param: 'status',
    })
    const failed = accepted(await engine.events.list(caller, { type: 'payment.failed' })).data
    expect(failed.map(({ type }) => type)).toEqual(['payment.failed'])
    expect(refusal(await engine.events.list(caller, { type: 'payment.lost' as never }))).toEqual({
      code: 'parameter_invalid',
      param: 'type',
    })
  })

  it('shows nothing of another workspace or environment', async () => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, 'tok_test_visa'))
    const { id: workspace } = await sandbox.engine.admin.workspaces.create({ name: 'Other' })
    for (const scope of [
      { workspace, livemode: false },
      { ...sandbox.scope, livemode: true },
    ]) {
      const { engine, caller } = await sandboxIn(sandbox, scope)
      expect(accepted(await engine.payments.list(caller, {})).data).toEqual([])
      expect(accepted(await engine.events.list(caller, {})).data).toEqual([])
      expect(refusal(await engine.payments.retrieve(caller, { id }))).toEqual({ code: 'resource_missing' })
    }
  })
})
