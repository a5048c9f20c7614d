import { describe, expect, it } from 'vitest'
import { accepted } from '../../../testing/src/builders/requests.ts'
import {
  draftedInvoice,
  newCustomer,
  payInvoice,
  sentInvoice,
  shownInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from '../operations/refusals.ts'

const list = async ({ engine, caller }: Sandbox, query: object) =>
  accepted(await engine.invoices.list(caller, query)).data.map(({ id }) => id)

describe('an invoice', () => {
  it('always has all of its fields', async () => {
    const sandbox = await openSandbox()
    const customer = await newCustomer(sandbox)
    const sent = await sentInvoice(sandbox, { customer, number: 'INV-7', external_id: 'erp-7' })
    expect(sent).toEqual({
      object: 'invoice',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      number: 'INV-7',
      external_id: 'erp-7',
      customer,
      status: 'open',
      past_due: false,
      currency: 'USD',
      total: 1000,
      amount_paid: 0,
      amount_pending: 0,
      amount_due: 1000,
      invoice_date: '2026-01-31',
      due_date: '2026-02-28',
      payment_url: expect.stringMatching(/^https:\/\/pay\.example\.com\/pay\/[\w.-]+$/),
      livemode: false,
      created_at: '2026-01-31T12:00:00.000Z',
    })
    expect(await shownInvoice(sandbox, sent.id)).toEqual(sent)
    const bare = await sentInvoice(sandbox)
    expect(Object.keys(bare).sort()).toEqual(Object.keys(sent).sort())
    expect([bare.number, bare.external_id]).toEqual([null, null])
  })

  it('as a draft is never listed nor retrieved, nor a place to start a list after', async () => {
    const sandbox = await openSandbox()
    const { engine, caller, scope } = sandbox
    const id = await draftedInvoice(sandbox)
    expect(refusal(await engine.invoices.retrieve(caller, { id }))).toEqual({ code: 'resource_missing' })
    expect(await list(sandbox, {})).toEqual([])
    expect(refusal(await engine.invoices.list(caller, { starting_after: id }))).toEqual({
      code: 'parameter_invalid',
      param: 'starting_after',
    })
    const paid = await payInvoice(sandbox, 'tok_test_visa', { invoice: id, amount: 10 })
    expect(refusal(paid)).toEqual({ code: 'resource_missing', param: 'invoice' })
    accepted(await engine.admin.invoices.schedule(scope, { id }))
    expect(await list(sandbox, {})).toEqual([id])
  })

  it('of another environment or workspace is not there', async () => {
    const sandbox = await openSandbox()
    const { id } = await sentInvoice(sandbox)
    const { id: workspace } = await sandbox.engine.admin.workspaces.create({ name: 'Other' })
    for (const scope of [
      { ...sandbox.scope, livemode: true },
      { workspace, livemode: false },
    ]) {
      const { engine, caller } = await sandboxIn(sandbox, scope)
      expect(refusal(await engine.invoices.retrieve(caller, { id }))).toEqual({ code: 'resource_missing' })
      expect(accepted(await engine.invoices.list(caller, {})).data).toEqual([])
    }
  })
})

describe('GET /invoices', () => {
  async function filed() {
    const sandbox = await openSandbox()
    const [ada, bob] = [await newCustomer(sandbox), await newCustomer(sandbox)]
    const one = await sentInvoice(sandbox, { customer: ada, number: 'N1', external_id: 'E1' })
    const two = await sentInvoice(sandbox, { customer: bob, number: 'N1', external_id: 'E2' })
    const three = await sentInvoice(sandbox, { customer: bob, number: 'N3' })
    accepted(await payInvoice(sandbox, 'tok_test_visa', { invoice: two.id, amount: 1000 }))
    accepted(await sandbox.engine.admin.invoices.cancel(sandbox.scope, { id: three.id }))
    const named = new Map([
      [one.id, 'one'],
      [two.id, 'two'],
      [three.id, 'three'],
    ])
    const names = async (query: object) => (await list(sandbox, query)).map((id) => named.get(id))
    return { sandbox, ada, bob, names, three: three.id }
  }

  it('lists newest first, and filters by number, ERP id, customer and status, alone and combined', async () => {
    const { names, ada, bob } = await filed()
    const cases: [object, string[]][] = [
      [{}, ['three', 'two', 'one']],
      [{ number: 'N1' }, ['two', 'one']],
      [{ external_id: 'E1' }, ['one']],
      [{ customer: bob }, ['three', 'two']],
      [{ status: 'open' }, ['one']],
      [{ status: 'paid' }, ['two']],
      [{ status: 'canceled' }, ['three']],
      [{ number: 'N1', customer: ada }, ['one']],
      [{ number: 'N1', status: 'paid' }, ['two']],
      [{ customer: bob, status: 'canceled' }, ['three']],
      [{ number: 'N1', external_id: 'E2', customer: bob, status: 'paid' }, ['two']],
      [{ number: 'N1', external_id: 'E2', customer: ada }, []],
      [{ customer: 'nobody' }, []],
      [{ external_id: 'E9' }, []],
    ]
    for (const [query, expected] of cases) expect([query, await names(query)]).toEqual([query, expected])
  })

  it('pages under a filter, after an invoice that need not match it', async () => {
    const { names, three } = await filed()
    expect(await names({ number: 'N1', limit: 1, starting_after: three })).toEqual(['two'])
    expect(await names({ status: 'open', starting_after: three })).toEqual(['one'])
  })

  it.each([
    [{ status: 'draft' }, 'status'],
    [{ status: 'past_due' }, 'status'],
    [{ number: '' }, 'number'],
    [{ external_id: 'x'.repeat(101) }, 'external_id'],
    [{ customer: '' }, 'customer'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ starting_after: 'nothing' }, 'starting_after'],
    [{ past_due: true }, 'past_due'],
  ])('with %o is refused as parameter_invalid', async (query, param) => {
    const { engine, caller } = await openSandbox()
    const asked = engine.invoices.list(caller, query as object)
    expect(refusal(await asked)).toEqual({ code: 'parameter_invalid', param })
  })
})

describe('past_due', () => {
  it('begins with the day after due_date, at midnight UTC exactly, and ends with the invoice', async () => {
    const sandbox = await openSandbox()
    const { id } = await sentInvoice(sandbox, { due_date: '2026-02-01' })
    const { clock, engine, scope } = sandbox
    const until = Date.parse('2026-02-02T00:00:00.000Z') - clock.now()
    clock.advance(until - 1)
    expect((await shownInvoice(sandbox, id)).past_due).toBe(false)
    clock.advance(1)
    const overdue = await shownInvoice(sandbox, id)
    expect([overdue.past_due, overdue.status]).toEqual([true, 'open'])
    expect(overdue.payment_url).not.toBeNull()
    expect(accepted(await engine.admin.invoices.cancel(scope, { id })).past_due).toBe(false)
  })
})
