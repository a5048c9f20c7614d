import { describe, expect, it } from 'vitest'
import { simulatedProcessor } from '../../../processor-simulator/src/simulated-processor.ts'
import {
  accepted,
  confirmation,
  confirmedSession,
  createdMethod,
  openSession,
} from '../../../testing/src/builders/requests.ts'
import { newCustomer } from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Processor } from '../../src/ports/processor.ts'
import { minute_ms } from '../../src/schema/timestamps.ts'
import { refusal } from './refusals.ts'

describe('POST /payment-method-sessions', () => {
  it('opens a session for 30 minutes and answers its client_secret this once', async () => {
    const sandbox = await openSandbox()
    const session = await openSession(sandbox, 'tok_test_visa')
    expect(session).toMatchObject({
      object: 'payment_method_session',
      status: 'requires_payment_method',
      payment_method_types: ['card'],
      amount: null,
      currency: null,
      livemode: false,
      created_at: '2026-01-31T12:00:00.000Z',
      expires_at: '2026-01-31T12:30:00.000Z',
    })
    expect(session.client_secret.startsWith(`${session.id}_secret_`)).toBe(true)
    expect(sandbox.engine.isClientSecret(session.id, session.client_secret)).toBe(true)
    expect(sandbox.engine.isClientSecret(session.id, `${session.client_secret}x`)).toBe(false)
    const { id } = session
    const shown = accepted(await sandbox.engine.payment_method_sessions.retrieve(sandbox.caller, { id }))
    expect(shown).not.toHaveProperty('client_secret')
  })

  const bank = { payment_method_types: ['us_bank_account'] as ['us_bank_account'] }
  it.each([
    ['amount', bank],
    ['amount', { amount: 500 }],
    ['amount', { ...bank, amount: 0, currency: 'usd' as const }],
    ['amount', { ...bank, amount: 100_000_000 }],
    ['amount', { ...bank, amount: 1.5 }],
    ['currency', { currency: 'usd' as const }],
    ['payment_method_types[0]', { payment_method_types: ['cash'] as never }],
    ['colour', { colour: 'red' } as object],
  ])('refuses an invalid %s: %o', async (param, input) => {
    const { engine, caller } = await openSandbox()
    expect(refusal(await engine.payment_method_sessions.create(caller, input))).toEqual({
      code: 'parameter_invalid',
      param,
    })
  })

  it('refuses a customer that is missing and a type the environment has no processor for', async () => {
    const sandbox = await openSandbox()
    const customer = '01890000-0000-7000-8000-000000000000'
    const { engine, caller } = sandbox
    const missing = refusal(await engine.payment_method_sessions.create(caller, { customer }))
    expect(missing).toEqual({ code: 'resource_missing', param: 'customer' })
    const cards = sandbox.another(withProcessor(sandbox, simulatedProcessor({ types: ['card'] })))
    const debit = { ...bank, amount: 1000 }
    const refused = refusal(await cards.engine.payment_method_sessions.create(caller, debit))
    expect(refused).toEqual({ code: 'payment_provider_not_configured' })
  })
})

describe('POST /payment-method-sessions/{id}/confirm', () => {
  it('shows the browser the card and nothing of the merchant’s own records', async () => {
    const sandbox = await openSandbox()
    const confirmed = await confirmedSession(sandbox, 'tok_test_visa')
    expect(confirmed).toMatchObject({
      status: 'succeeded',
      succeeded_at: '2026-01-31T12:00:00.000Z',
      card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034, funding: 'credit' },
    })
    expect(confirmed).not.toHaveProperty('customer')
    expect(confirmed).not.toHaveProperty('payment_method')
  })

  it('records which authorization the account holder accepted, when and from where', async () => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'btok_test_success', { amount: 1234 })
    const browser = { ...sandbox.browser, ip_address: '203.0.113.9', user_agent: 'Browser/1' }
    const shown = accepted(
      await sandbox.engine.payment_method_sessions.confirm(browser, confirmation(id, 'btok_test_success')),
    )
    expect(shown.ach_authorization).toMatchObject({
      type: 'one_time',
      amount: 1234,
      currency: 'USD',
      terms_version: '2026-01',
      accepted_at: '2026-01-31T12:00:00.000Z',
      ip_address: '203.0.113.9',
      user_agent: 'Browser/1',
    })
    expect(shown.ach_authorization?.text).toContain('USD 12.34')
  })

  it.each([
    ['tok_test_incorrect_cvc', { code: 'card_verification_failed' }],
    ['btok_test_verification_fails', { code: 'bank_account_verification_failed' }],
    ['tok_test_expired', { code: 'card_expired' }],
    ['tok_test_nobody', { code: 'parameter_invalid', param: 'card.token' }],
    ['btok_test_nobody', { code: 'parameter_invalid', param: 'us_bank_account.token' }],
  ])('of %s is refused, and the session stays open', async (token, refused) => {
    const sandbox = await openSandbox()
    const { engine, browser, caller } = sandbox
    const { id } = await openSession(sandbox, token)
    expect(refusal(await engine.payment_method_sessions.confirm(browser, confirmation(id, token)))).toEqual(
      refused,
    )
    const shown = accepted(await engine.payment_method_sessions.retrieve(caller, { id }))
    expect(shown).toMatchObject({ status: 'requires_payment_method', card: null, us_bank_account: null })
  })

  it.each([
    ['ach_authorization_required', undefined],
    ['ach_authorization_required', { accepted: false, terms_version: '2026-01' }],
    ['ach_terms_version_unsupported', { accepted: true, terms_version: '1999-01' }],
    ['ach_terms_version_unsupported', { accepted: true, terms_version: 'toString' }],
  ])('answers %s for the authorization %o', async (code, ach_authorization) => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'btok_test_success')
    const { ach_authorization: _, ...without } = {
      ach_authorization,
      ...confirmation(id, 'btok_test_success'),
    }
    const input = ach_authorization ? { ...without, ach_authorization } : without
    expect(refusal(await sandbox.engine.payment_method_sessions.confirm(sandbox.browser, input))).toEqual({
      code,
    })
  })

  it('with the same token answers the same object, with another one payment_method_session_inactive', async () => {
    const sandbox = await openSandbox()
    const { browser, clock } = sandbox
    const verified: string[] = []
    const verify: Processor['verify'] = (request) => {
      verified.push(request.token)
      return sandbox.processor.verify(request)
    }
    const watched = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, verify }))
    const first = await confirmedSession(watched, 'tok_test_visa')
    clock.advance(minute_ms)
    const confirm = async (token: string) =>
      await watched.engine.payment_method_sessions.confirm(browser, confirmation(first.id, token))
    expect(accepted(await confirm('tok_test_visa'))).toEqual(first)
    expect(refusal(await confirm('tok_test_amex'))).toEqual({ code: 'payment_method_session_inactive' })
    expect(verified).toEqual(['tok_test_visa'])
  })

  it('works until the last millisecond before expires_at and not at that instant (R5)', async () => {
    for (const [after_ms, works] of [
      [30 * minute_ms - 1, true],
      [30 * minute_ms, false],
    ] as const) {
      const sandbox = await openSandbox()
      const { id } = await openSession(sandbox, 'tok_test_visa')
      sandbox.clock.advance(after_ms)
      const confirmed = await sandbox.engine.payment_method_sessions.confirm(
        sandbox.browser,
        confirmation(id, 'tok_test_visa'),
      )
      expect(confirmed.isOk()).toBe(works)
      if (!works) expect(refusal(confirmed)).toEqual({ code: 'payment_method_session_inactive' })
    }
  })

  it.each([{}, { idempotency_key: 'k' }])(
    'is dated from when the processor has answered, with %o',
    async (options) => {
      const sandbox = await openSandbox()
      const { id } = await openSession(sandbox, 'tok_test_visa')
      const slow: Processor = {
        ...sandbox.processor,
        async verify(request) {
          sandbox.clock.jump(15_000)
          return sandbox.processor.verify(request)
        },
      }
      const { engine } = sandbox.another(withProcessor(sandbox, slow))
      const input = confirmation(id, 'tok_test_visa')
      accepted(await engine.payment_method_sessions.confirm(sandbox.browser, input, options))
      const { succeeded_at } = accepted(await engine.payment_method_sessions.retrieve(sandbox.caller, { id }))
      expect(succeeded_at).toBe('2026-01-31T12:00:15.000Z')
    },
  )

  it('is refused where its time ran out while the processor was asked', async () => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'tok_test_visa')
    const verify: Processor['verify'] = async (request) => {
      sandbox.clock.jump(1_800_000)
      return sandbox.processor.verify(request)
    }
    const { engine } = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, verify }))
    const late = await engine.payment_method_sessions.confirm(
      sandbox.browser,
      confirmation(id, 'tok_test_visa'),
    )
    expect(refusal(late)).toEqual({ code: 'payment_method_session_inactive' })
  })

  it('takes exactly the session’s own type of token', async () => {
    const sandbox = await openSandbox()
    const { engine, browser } = sandbox
    const { id } = await openSession(sandbox, 'tok_test_visa')
    const bank = await engine.payment_method_sessions.confirm(browser, confirmation(id, 'btok_test_success'))
    expect(refusal(bank)).toEqual({ code: 'parameter_invalid', param: 'us_bank_account' })
    const { billing_details } = confirmation(id, 'tok_test_visa')
    const none = await engine.payment_method_sessions.confirm(browser, { id, billing_details })
    expect(refusal(none)).toEqual({ code: 'parameter_invalid', param: 'card' })
    expect(none.isErr() && none.error.message).toBe('This parameter is required.')
  })

  it('says that a card session takes no bank authorization', async () => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'tok_test_visa')
    const { ach_authorization } = confirmation(id, 'btok_test_success')
    const input = { ...confirmation(id, 'tok_test_visa'), ach_authorization }
    const refused = await sandbox.engine.payment_method_sessions.confirm(sandbox.browser, input)
    expect(refusal(refused)).toEqual({ code: 'parameter_invalid', param: 'ach_authorization' })
    expect(refused.isErr() && refused.error.message).toBe('This session collects a card.')
  })

  it('answers payment_provider_not_configured where the processor went away after the create', async () => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'tok_test_visa')
    const without = sandbox.another({ processors: {} })
    const input = confirmation(id, 'tok_test_visa')
    const refused = await without.engine.payment_method_sessions.confirm(sandbox.browser, input)
    expect(refusal(refused)).toEqual({ code: 'payment_provider_not_configured' })
  })
})

describe('a session', () => {
  it('can be canceled while it is open, and nothing else can', async () => {
    const sandbox = await openSandbox()
    const { engine, caller, browser, clock } = sandbox
    const { id } = await openSession(sandbox, 'tok_test_visa')
    const canceled = accepted(await engine.payment_method_sessions.cancel(caller, { id }))
    expect(canceled).toMatchObject({ status: 'canceled', canceled_at: '2026-01-31T12:00:00.000Z' })
    const inactive = { code: 'payment_method_session_inactive' }
    expect(refusal(await engine.payment_method_sessions.cancel(caller, { id }))).toEqual(inactive)
    const confirm = engine.payment_method_sessions.confirm(browser, confirmation(id, 'tok_test_visa'))
    expect(refusal(await confirm)).toEqual(inactive)
    const succeeded = await confirmedSession(sandbox, 'tok_test_visa')
    expect(refusal(await engine.payment_method_sessions.cancel(caller, succeeded))).toEqual({
      code: 'parameter_invalid',
      param: 'object',
    })
    const { id: confirmed } = succeeded
    expect(refusal(await engine.payment_method_sessions.cancel(caller, { id: confirmed }))).toEqual(inactive)
    const late = await openSession(sandbox, 'tok_test_visa')
    clock.advance(30 * minute_ms)
    expect(refusal(await engine.payment_method_sessions.cancel(caller, { id: late.id }))).toEqual(inactive)
  })

  it('reads as expired from expires_at on, before and after the reconciler has been there', async () => {
    const sandbox = await openSandbox()
    const { engine, caller, clock } = sandbox
    const { id } = await openSession(sandbox, 'tok_test_visa')
    clock.advance(30 * minute_ms)
    const before = accepted(await engine.payment_method_sessions.retrieve(caller, { id }))
    await engine.reconcile()
    expect(before).toMatchObject({ status: 'expired' })
    expect(accepted(await engine.payment_method_sessions.retrieve(caller, { id }))).toEqual(before)
  })

  it('makes a saved method where it names a customer, and a one-time method otherwise', async () => {
    const sandbox = await openSandbox()
    const customer = await newCustomer(sandbox)
    expect(await createdMethod(sandbox, 'tok_test_visa', { customer })).toMatchObject({
      usage: 'saved',
      customer,
      expires_at: null,
    })
    expect(await createdMethod(sandbox, 'tok_test_visa')).toMatchObject({
      usage: 'one_time',
      customer: null,
      expires_at: '2026-01-31T12:30:00.000Z',
    })
  })
})
