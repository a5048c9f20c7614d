import { describe, expect, it } from 'vitest'
import { simulatedProcessor } from '../../../processor-simulator/src/simulated-processor.ts'
import {
  accepted,
  confirmedSession,
  createdMethod,
  freshKey,
  openSession,
  pay,
  shownPayment,
} from '../../../testing/src/builders/requests.ts'
import { eventTypesOf, sentInvoice } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { ok } from '../../src/kernel/result.ts'
import { minute_ms } from '../../src/schema/timestamps.ts'
import { refusal } from './refusals.ts'

type Input = Parameters<Sandbox['engine']['payments']['create']>[1]

const create = async ({ engine, caller }: Sandbox, input: Partial<Input>) =>
  await engine.payments.create(
    caller,
    { amount: 1000, currency: 'usd', ...input },
    { idempotency_key: freshKey() },
  )

describe('POST /payments', () => {
  it('charges an approved card once and announces payment.succeeded only', async () => {
    const sandbox = await openSandbox()
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    const extra = { reference: 'order 7', description: 'Tea', metadata: { colour: 'green' } }
    const payment = accepted(await create(sandbox, { payment_method_session: id, amount: 2599, ...extra }))
    expect(payment).toEqual({
      object: 'payment',
      id: expect.stringMatching(/^pay_test_[0-9A-Za-z]{24}$/),
      status: 'succeeded',
      amount: 2599,
      amount_refunded: 0,
      currency: 'USD',
      customer: null,
      payment_method: expect.stringMatching(/^pm_test_/),
      payment_method_type: 'card',
      checkout_session: null,
      invoice: null,
      ...extra,
      failure: null,
      livemode: false,
      created_at: '2026-01-31T12:00:00.000Z',
      succeeded_at: '2026-01-31T12:00:00.000Z',
      failed_at: null,
      canceled_at: null,
      returned_at: null,
    })
    expect(await eventTypesOf(sandbox, payment.id)).toEqual(['payment.succeeded'])
    const [charge, ...others] = sandbox.processor.ledger.charges()
    expect(others).toEqual([])
    expect(charge).toMatchObject({ amount: 2599, currency: 'USD', state: { kind: 'approved' } })
  })

  it.each([
    ['tok_test_declined', 'card_declined', 'generic_decline'],
    ['tok_test_insufficient_funds', 'card_declined', 'insufficient_funds'],
    ['tok_test_unreachable', 'card_declined', 'processing_error'],
  ])('answers a charge with %s with 402 %s, naming the failed payment', async (token, code, decline_code) => {
    const sandbox = await openSandbox()
    const refused = await pay(sandbox, token)
    const payment = refused.isErr() ? (refused.error.extra?.payment ?? '') : ''
    expect(refused.isErr() && refused.error).toMatchObject({ code, extra: { payment, decline_code } })
    expect(await shownPayment(sandbox, payment)).toMatchObject({
      status: 'failed',
      failure: { decline_code },
    })
    expect(await eventTypesOf(sandbox, payment)).toEqual(['payment.failed'])
  })

  it('answers a refused bank debit with bank_account_verification_failed', async () => {
    const sandbox = await openSandbox()
    const processor = sandbox.processor
    const refuse = async () => ({ kind: 'declined', decline_code: 'no_account', message: 'No.' }) as const
    const refusing = sandbox.another(withProcessor(sandbox, { ...processor, charge: refuse }))
    const refused = await pay(refusing, 'btok_test_success')
    expect(refused.isErr() && refused.error).toMatchObject({
      code: 'bank_account_verification_failed',
      extra: { decline_code: 'no_account' },
    })
  })

  it('answers every bank debit with processing, and payment.processing right after the create', async () => {
    const sandbox = await openSandbox()
    const payment = accepted(await pay(sandbox, 'btok_test_success'))
    expect(payment).toMatchObject({ status: 'processing', payment_method_type: 'us_bank_account' })
    expect(await eventTypesOf(sandbox, payment.id)).toEqual(['payment.processing'])
  })

  it.each([
    ['payment_method', {}],
    ['payment_method', { payment_method: 'pm_1', payment_method_session: 'pms_1' }],
    ['amount', { payment_method: 'pm_1', amount: 0 }],
    ['amount', { payment_method: 'pm_1', amount: 100_000_000 }],
    ['amount', { payment_method: 'pm_1', amount: 10.5 }],
    ['amount', { payment_method: 'pm_1', amount: '10' as never }],
    ['currency', { payment_method: 'pm_1', currency: 'EUR' as never }],
    ['metadata[key]', { payment_method: 'pm_1', metadata: { key: 'v'.repeat(501) } }],
    ['metadata', { payment_method: 'pm_1', metadata: Object.fromEntries(Array(21).entries()) as never }],
    ['reference', { payment_method: 'pm_1', reference: '' }],
    ['capture', { payment_method: 'pm_1', capture: false } as object],
  ])('refuses an invalid %s: %o', async (param, input) => {
    const refused = refusal(await create(await openSandbox(), input))
    expect(refused.code).toBe('parameter_invalid')
    expect(refused.param?.startsWith(param)).toBe(true)
  })

  it.each([
    ['customer', { payment_method: 'pm_1', customer: 'nobody' }],
    ['invoice', { payment_method: 'pm_1', invoice: 'none' }],
    ['payment_method', { payment_method: 'pm_test_none' }],
    ['payment_method_session', { payment_method_session: 'pms_test_none' }],
  ])('answers resource_missing for a %s that is not there', async (param, input) => {
    expect(refusal(await create(await openSandbox(), input))).toEqual({ code: 'resource_missing', param })
  })

  it('answers resource_missing for a method of the other environment or another workspace', async () => {
    const sandbox = await openSandbox()
    const { id: payment_method } = await createdMethod(sandbox, 'tok_test_visa')
    const { id: workspace } = await sandbox.engine.admin.workspaces.create({ name: 'Other' })
    for (const scope of [
      { workspace, livemode: false },
      { workspace: sandbox.scope.workspace, livemode: true },
    ]) {
      const elsewhere = await sandboxIn(sandbox, scope)
      expect(refusal(await create(elsewhere, { payment_method }))).toEqual({
        code: 'resource_missing',
        param: 'payment_method',
      })
    }
  })

  it('needs the session confirmed, unused, and confirmed at most 30 minutes ago', async () => {
    const sandbox = await openSandbox()
    const open = await openSession(sandbox, 'tok_test_visa')
    const inactive = { code: 'payment_method_session_inactive' }
    expect(refusal(await create(sandbox, { payment_method_session: open.id }))).toEqual(inactive)
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    const late = await confirmedSession(sandbox, 'tok_test_visa')
    sandbox.clock.advance(30 * minute_ms)
    expect(accepted(await create(sandbox, { payment_method_session: id })).status).toBe('succeeded')
    const used = { code: 'payment_method_session_used' }
    expect(refusal(await create(sandbox, { payment_method_session: id }))).toEqual(used)
    sandbox.clock.advance(1)
    expect(refusal(await create(sandbox, { payment_method_session: late.id }))).toEqual(inactive)
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it('charges a one-time bank debit for exactly the amount and currency that was authorized', async () => {
    const sandbox = await openSandbox()
    const { id } = await confirmedSession(sandbox, 'btok_test_success', { amount: 1000 })
    const attempt = async (input: Partial<Input>) => create(sandbox, { payment_method_session: id, ...input })
    expect(refusal(await attempt({ amount: 999 }))).toEqual({ code: 'parameter_invalid', param: 'amount' })
    expect(refusal(await attempt({ amount: 1001 }))).toEqual({ code: 'parameter_invalid', param: 'amount' })
    const cad = await attempt({ currency: 'CAD' })
    expect(refusal(cad)).toEqual({ code: 'parameter_invalid', param: 'currency' })
    expect(accepted(await attempt({})).status).toBe('processing')
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it('answers payment_provider_not_configured where the environment has no processor for the type', async () => {
    const sandbox = await openSandbox()
    const { id } = await confirmedSession(sandbox, 'btok_test_success')
    const cards = sandbox.another(withProcessor(sandbox, simulatedProcessor({ types: ['card'] })))
    const refused = refusal(await create(cards, { payment_method_session: id }))
    expect(refused).toEqual({ code: 'payment_provider_not_configured' })
  })

  it.each([
    ['ach_authorization_required', null],
    ['ach_terms_version_unsupported', '1999-01'],
  ])('answers %s for a bank account whose accepted terms are %s', async (code, terms_version) => {
    const sandbox = await openSandbox()
    const { id } = await createdMethod(sandbox, 'btok_test_success')
    await sandbox.store.transaction(sandbox.scope, async (tx) => {
      const method = await tx.payment_methods.lock(id)
      if (method) await tx.payment_methods.update({ ...method, terms_version })
      return ok(method)
    })
    expect(refusal(await create(sandbox, { payment_method: id }))).toEqual({ code })
    expect(sandbox.processor.ledger.charges()).toEqual([])
  })

  it('misses an unknown session before it judges what is due on the invoice', async () => {
    const sandbox = await openSandbox()
    const { id: invoice } = await sentInvoice(sandbox)
    const payment_method_session = 'pms_test_000000000000000000000000'
    const asked = await create(sandbox, { amount: 1001, invoice, payment_method_session })
    expect(refusal(asked)).toMatchObject({ code: 'resource_missing', param: 'payment_method_session' })
  })

  it('needs an Idempotency-Key', async () => {
    const { engine, caller } = await openSandbox()
    const input = { amount: 1, currency: 'usd' as const, payment_method: 'pm_1' }
    const keyless = {} as { idempotency_key: string }
    expect(refusal(await engine.payments.create(caller, input, keyless))).toEqual({
      code: 'idempotency_key_required',
    })
    for (const idempotency_key of ['', 'a b', 'é', 'k'.repeat(256), 'k\n']) {
      const refused = await engine.payments.create(caller, input, { idempotency_key })
      expect(refusal(refused)).toEqual({ code: 'idempotency_key_invalid' })
    }
  })

  it('is not made without its key where the option is misnamed', async () => {
    const { engine, caller } = await openSandbox()
    const options = { idempotencyKey: 'k' } as object
    expect(() => engine.payment_method_sessions.create(caller, {}, options)).toThrow('`idempotencyKey`')
  })

  it('is not for a publishable key, whatever carries the request', async () => {
    // Through the library, without a transport's check, it charged.
    const sandbox = await openSandbox()
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    const input = { amount: 1000, currency: 'usd' as const, payment_method_session: id }
    const refused = await sandbox.engine.payments.create(sandbox.browser, input, {
      idempotency_key: freshKey(),
    })
    expect(refusal(refused)).toEqual({ code: 'publishable_key_not_allowed' })
    expect(refusal(await sandbox.engine.payments.list(sandbox.browser, {}))).toEqual({
      code: 'publishable_key_not_allowed',
    })
    expect(sandbox.processor.ledger.charges()).toEqual([])
  })

  it('needs the scope, also for a replay', async () => {
    const { engine, caller } = await openSandbox()
    const reader = { ...caller, scopes: ['payments:read' as const] }
    const input = { amount: 1, currency: 'usd' as const, payment_method: 'pm_1' }
    const refused = await engine.payments.create(reader, input, { idempotency_key: freshKey() })
    expect(refusal(refused)).toEqual({ code: 'insufficient_scope' })
  })
})
