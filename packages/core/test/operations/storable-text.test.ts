import { describe, expect, it } from 'vitest'
import { accepted } from '../../../testing/src/builders/requests.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'

const page = {
  amount: 500,
  currency: 'USD',
  success_url: 'https://shop.example.com/thanks',
  cancel_url: 'https://shop.example.com/cart',
} as const

// Postgres faulted at NUL, which was stored as the answer; half a pair came back as another character.
describe.each(['a\0b', 'x\ud83d'])('the text %j, which not every store can keep', (text) => {
  it.each([
    ['reference', { reference: text }],
    ['metadata[order]', { metadata: { order: text } }],
    ['metadata', { metadata: { [text]: 'order' } }],
  ])('is refused in %s, and again under the same key', async (param, input) => {
    const { engine, caller } = await openSandbox()
    const create = async () => {
      const made = await engine.checkout_sessions.create(
        caller,
        { ...page, ...input },
        { idempotency_key: 'k' },
      )
      return made._unsafeUnwrapErr()
    }
    const refused = await create()
    expect(refused).toMatchObject({ code: 'parameter_invalid', param })
    expect(await create()).toEqual(refused)
    expect(accepted(await engine.checkout_sessions.list(caller, {})).data).toEqual([])
  })

  it('is refused as a filter and as a cursor, and is the id of nothing', async () => {
    const { engine, caller } = await openSandbox()
    const { invoices, payments } = engine
    expect(await invoices.list(caller, { number: text })).toMatchObject({
      error: { code: 'parameter_invalid', param: 'number' },
    })
    expect(await payments.list(caller, { starting_after: text })).toMatchObject({
      error: { code: 'parameter_invalid', param: 'starting_after' },
    })
    expect(await payments.retrieve(caller, { id: text })).toMatchObject({
      error: { code: 'resource_missing' },
    })
  })

  it('is refused by the dashboard’s actions and in the back office', async () => {
    const { engine, scope } = await openSandbox()
    const contact = { reference: 'C-1', name: text, email: 'a@example.com', phone: '' }
    expect(await engine.admin.customers.create(scope, contact)).toMatchObject({
      error: { code: 'parameter_invalid', param: 'name' },
    })
    const sync = { connectionId: 'conn_test_1', jobType: 'sync_customer', customerIds: ['C-1', text] }
    expect(await engine.backOffice.syncHistorical(sync)).toMatchObject({
      error: { code: 'validation_error', data: [{ path: 'customerIds[1]' }] },
    })
  })
})
