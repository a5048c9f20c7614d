import { describe, expect, it } from 'vitest'
import {
  accepted,
  confirmedSession,
  freshKey,
  pay,
  shownPayment,
} from '../../../testing/src/builders/requests.ts'
import { advance, eventTypesOf, refund, shownRefund } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from '../operations/refusals.ts'

/** A sandbox with one payment of 10.00 USD, made with the token. */
async function paid(token = 'tok_test_visa') {
  const sandbox = await openSandbox()
  const result = await pay(sandbox, token)
  const payment = result.isOk() ? result.value.id : result.error.extra?.payment
  if (payment === undefined) throw new Error('nothing was charged')
  return { sandbox, payment }
}

describe('a refund', () => {
  it('answers every field of the specification, and names its payment', async () => {
    const { sandbox, payment } = await paid()
    const input = { payment, amount: 300, reason: 'returned goods', metadata: { order: '17' } }
    const made = accepted(await refund(sandbox, input))
    expect(made).toEqual({
      object: 'refund',
      id: expect.stringMatching(/^re_test_[0-9A-Za-z]{24}$/),
      ...input,
      status: 'succeeded',
      currency: 'USD',
      failure: null,
      livemode: false,
      created_at: '2026-01-31T12:00:00.000Z',
      succeeded_at: '2026-01-31T12:00:00.000Z',
      failed_at: null,
    })
    expect(await shownRefund(sandbox, made.id)).toEqual(made)
    expect(await shownPayment(sandbox, payment)).toMatchObject({ status: 'succeeded', amount_refunded: 300 })
    expect(sandbox.processor.ledger.totals().USD).toEqual({ captured: 1000, refunded: 300, returned: 0 })
  })

  it('is in the currency of its payment, at the processor too', async () => {
    const sandbox = await openSandbox()
    const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
    const input = { amount: 700, currency: 'cad' as const, payment_method_session }
    const idempotency_key = freshKey()
    const payment = accepted(await sandbox.engine.payments.create(sandbox.caller, input, { idempotency_key }))
    expect(accepted(await refund(sandbox, { payment: payment.id, amount: 200 })).currency).toBe('CAD')
    expect(sandbox.processor.ledger.totals()).toEqual({ CAD: { captured: 700, refunded: 200, returned: 0 } })
  })

  it('without an amount gives back all that is left', async () => {
    const { sandbox, payment } = await paid()
    accepted(await refund(sandbox, { payment, amount: 1 }))
    expect(accepted(await refund(sandbox, { payment }))).toMatchObject({
      amount: 999,
      reason: null,
      metadata: {},
    })
  })

  it('of everything leaves the payment succeeded, with amount_refunded = amount', async () => {
    const { sandbox, payment } = await paid()
    accepted(await refund(sandbox, { payment }))
    const shown = await shownPayment(sandbox, payment)
    expect([shown.status, shown.amount_refunded, shown.amount]).toEqual(['succeeded', 1000, 1000])
    expect(await eventTypesOf(sandbox, payment)).toEqual(['payment.succeeded'])
  })

  it('is possible once for the last cent and never beyond', async () => {
    const { sandbox, payment } = await paid()
    const exceeds = { code: 'refund_amount_exceeds_balance', param: 'amount' }
    expect(refusal(await refund(sandbox, { payment, amount: 1001 }))).toEqual(exceeds)
    accepted(await refund(sandbox, { payment, amount: 999 }))
    expect(refusal(await refund(sandbox, { payment, amount: 2 }))).toEqual(exceeds)
    accepted(await refund(sandbox, { payment, amount: 1 }))
    expect(refusal(await refund(sandbox, { payment, amount: 1 }))).toEqual(exceeds)
    expect(refusal(await refund(sandbox, { payment }))).toEqual(exceeds)
    expect(sandbox.processor.ledger.refunds()).toHaveLength(2)
  })

  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: -5 }, 'amount'],
    [{ amount: 1.5 }, 'amount'],
    [{ amount: 100_000_000 }, 'amount'],
    [{ reason: 'x'.repeat(501) }, 'reason'],
    [{ metadata: { ['k'.repeat(41)]: 'v' } }, expect.stringMatching(/^metadata/)],
    [{ payment: '' }, 'payment'],
    [{ charge: 'pay_test_1' }, 'charge'],
  ])('with %o is refused as parameter_invalid', async (changed, param) => {
    const { sandbox, payment } = await paid()
    const refused = refusal(await refund(sandbox, { payment, ...changed }))
    expect(refused).toEqual({ code: 'parameter_invalid', param })
    expect(sandbox.processor.ledger.refunds()).toEqual([])
  })
})

describe('a payment that is not succeeded', () => {
  it.each([
    ['processing', 'btok_test_never_settles', 0],
    ['processing', 'tok_test_unknown_forever', 0],
    ['failed', 'tok_test_declined', 0],
    ['failed', 'tok_test_unreachable', 0],
    ['returned', 'tok_test_chargeback', 3 * 86_400],
    ['returned', 'btok_test_account_closed', 60],
  ])('but %s (%s) is not refundable', async (status, token, seconds) => {
    const { sandbox, payment } = await paid(token)
    if (seconds > 0) await advance(sandbox, seconds)
    expect((await shownPayment(sandbox, payment)).status).toBe(status)
    expect(refusal(await refund(sandbox, { payment }))).toEqual({ code: 'payment_not_refundable' })
    expect(sandbox.processor.ledger.refunds()).toEqual([])
  })

  it('but canceled is not refundable', async () => {
    const { sandbox, payment } = await paid('btok_test_success')
    accepted(await sandbox.engine.admin.payments.void(sandbox.scope, { id: payment }))
    expect(refusal(await refund(sandbox, { payment }))).toEqual({ code: 'payment_not_refundable' })
  })

  it('is refundable from its settlement on', async () => {
    const { sandbox, payment } = await paid('btok_test_success')
    await advance(sandbox, 60)
    expect(accepted(await refund(sandbox, { payment, amount: 400 })).status).toBe('succeeded')
  })
})

describe('a refund of what is not there', () => {
  const missing = { code: 'resource_missing', param: 'payment' }

  async function elsewhere(sandbox: Sandbox): Promise<Sandbox[]> {
    const { id: workspace } = await sandbox.engine.admin.workspaces.create({ name: 'Other' })
    const scopes = [
      { ...sandbox.scope, livemode: true },
      { workspace, livemode: false },
    ]
    return Promise.all(scopes.map((scope) => sandboxIn(sandbox, scope)))
  }

  it('answers 404 for the payment of nobody, of another environment and of another workspace', async () => {
    const { sandbox, payment } = await paid()
    expect(refusal(await refund(sandbox, { payment: 'pay_test_none' }))).toEqual(missing)
    for (const other of await elsewhere(sandbox)) {
      expect(refusal(await refund(other, { payment }))).toEqual(missing)
    }
  })

  it('is not shown to another environment or workspace either', async () => {
    const { sandbox, payment } = await paid()
    const { id } = accepted(await refund(sandbox, { payment }))
    for (const { engine, caller } of await elsewhere(sandbox)) {
      expect(refusal(await engine.refunds.retrieve(caller, { id }))).toEqual({ code: 'resource_missing' })
      expect(accepted(await engine.refunds.list(caller, { payment })).data).toEqual([])
    }
  })
})

describe('refunds that are not possible here', () => {
  it('answer refunds_disabled for a workspace that switched them off, and work again when it is on', async () => {
    const { sandbox, payment } = await paid()
    const { engine, scope } = sandbox
    accepted(await engine.admin.workspaces.update(scope, { refunds_enabled: false }))
    const off = { ...sandbox, caller: await engine.caller(scope) }
    expect(refusal(await refund(off, { payment }))).toEqual({ code: 'refunds_disabled' })
    const { id } = accepted(await pay(off, 'tok_test_visa'))
    expect((await shownPayment(off, id)).status).toBe('succeeded')
    accepted(await engine.admin.workspaces.update(scope, { refunds_enabled: true }))
    const on = { ...sandbox, caller: await engine.caller(scope) }
    expect(accepted(await refund(on, { payment })).status).toBe('succeeded')
  })

  it('answer payment_provider_not_configured where the environment has no processor', async () => {
    const { sandbox, payment } = await paid()
    const none = sandbox.another({ processors: { live: sandbox.live_processor } })
    expect(refusal(await refund(none, { payment }))).toEqual({ code: 'payment_provider_not_configured' })
  })

  it('answer insufficient_scope without payments:write', async () => {
    const { sandbox, payment } = await paid()
    const reader = { ...sandbox, caller: { ...sandbox.caller, scopes: ['payments:read' as const] } }
    expect(refusal(await refund(reader, { payment }))).toEqual({ code: 'insufficient_scope' })
  })
})

describe('GET /refunds', () => {
  it('lists newest first, and only those of a payment when asked', async () => {
    const { sandbox, payment } = await paid()
    const { engine, caller } = sandbox
    const other = accepted(await pay(sandbox, 'tok_test_visa')).id
    const ids: string[] = []
    for (const amount of [1, 2, 3]) ids.unshift(accepted(await refund(sandbox, { payment, amount })).id)
    const unrelated = accepted(await refund(sandbox, { payment: other })).id
    const list = async (query: object) =>
      accepted(await engine.refunds.list(caller, query)).data.map(({ id }) => id)
    expect(await list({})).toEqual([unrelated, ...ids])
    expect(await list({ payment })).toEqual(ids)
    expect(await list({ payment, limit: 1, starting_after: ids[0] })).toEqual([ids[1]])
    expect(await list({ payment: 'pay_test_none' })).toEqual([])
  })

  it('shows neither in the list nor by its id a refund whose outcome is not known yet', async () => {
    const { sandbox, payment } = await paid()
    const { engine, caller } = sandbox
    let seen: unknown[] = []
    const watching = sandbox.another(
      withProcessor(sandbox, {
        ...sandbox.processor,
        async refund(request) {
          const id = request.key.slice(request.key.indexOf('.') + 1)
          const listed = accepted(await engine.refunds.list(caller, {})).data
          seen = [listed, refusal(await engine.refunds.retrieve(caller, { id }))]
          return sandbox.processor.refund(request)
        },
      }),
    )
    accepted(await refund(watching, { payment }))
    expect(seen).toEqual([[], { code: 'resource_missing' }])
    expect(accepted(await engine.refunds.list(caller, {})).data).toHaveLength(1)
  })
})
