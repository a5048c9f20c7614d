import { describe, expect, it } from 'vitest'
import { accepted } from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from '../operations/refusals.ts'

const contact = { name: 'Grace', email: 'grace@example.com', phone: '+1 555 0100' }

const create = ({ engine, scope }: Sandbox, reference: string) =>
  engine.admin.customers.create(scope, { reference, ...contact })

const list = async ({ engine, caller }: Sandbox, query: object = {}) =>
  accepted(await engine.customers.list(caller, query)).data.map(({ reference }) => reference)

describe('a customer', () => {
  it('has every field of the specification, in the list and by its id', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const made = accepted(await create(sandbox, 'C-1'))
    expect(made).toEqual({
      object: 'customer',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reference: 'C-1',
      ...contact,
      created_at: '2026-01-31T12:00:00.000Z',
    })
    expect(accepted(await engine.customers.retrieve(caller, { id: made.id }))).toEqual(made)
    expect(accepted(await engine.customers.list(caller, {}))).toEqual({
      object: 'list',
      data: [made],
      has_more: false,
    })
  })

  it('keeps its reference, and what an update leaves out', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const made = accepted(await create(sandbox, 'C-1'))
    const updated = await engine.admin.customers.update(scope, { id: made.id, email: 'new@example.com' })
    expect(accepted(updated)).toEqual({ ...made, email: 'new@example.com' })
    expect(refusal(await engine.admin.customers.update(scope, { id: 'none', name: '' })).code).toBe(
      'resource_missing',
    )
  })

  it('shares its reference with no other one of the same workspace and environment', async () => {
    const sandbox = await openSandbox()
    accepted(await create(sandbox, 'C-1'))
    expect(refusal(await create(sandbox, 'C-1'))).toEqual({ code: 'conflict' })
    const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
    accepted(await create(live, 'C-1'))
    expect(await list(sandbox)).toEqual(['C-1'])
  })

  it('of another environment or of nobody answers 404', async () => {
    const sandbox = await openSandbox()
    const { id } = accepted(await create(sandbox, 'C-1'))
    const { engine, caller } = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
    expect(refusal(await engine.customers.retrieve(caller, { id }))).toEqual({ code: 'resource_missing' })
    const unknown = engine.customers.retrieve(caller, { id: 'none' })
    expect(refusal(await unknown)).toEqual({ code: 'resource_missing' })
  })
})

describe('GET /customers', () => {
  it('lists newest first, a page at a time', async () => {
    const sandbox = await openSandbox()
    for (const reference of ['C-1', 'C-2', 'C-3']) accepted(await create(sandbox, reference))
    const { engine, caller } = sandbox
    expect(await list(sandbox)).toEqual(['C-3', 'C-2', 'C-1'])
    const first = accepted(await engine.customers.list(caller, { limit: 2 }))
    expect([first.data.length, first.has_more]).toEqual([2, true])
    expect(await list(sandbox, { limit: 2, starting_after: first.data[1]?.id })).toEqual(['C-1'])
  })

  it('answers at most one with a reference', async () => {
    const sandbox = await openSandbox()
    for (const reference of ['C-1', 'C-11', 'c-1']) accepted(await create(sandbox, reference))
    expect(await list(sandbox, { reference: 'C-1' })).toEqual(['C-1'])
    expect(await list(sandbox, { reference: 'C-9' })).toEqual([])
  })

  it.each([
    [{ reference: '' }, 'reference'],
    [{ reference: 'x'.repeat(101) }, 'reference'],
    [{ limit: 101 }, 'limit'],
    [{ starting_after: 'none' }, 'starting_after'],
    [{ email: 'grace@example.com' }, 'email'],
  ])('with %o is refused as parameter_invalid', async (query, param) => {
    const { engine, caller } = await openSandbox()
    expect(refusal(await engine.customers.list(caller, query as object))).toEqual({
      code: 'parameter_invalid',
      param,
    })
  })
})
