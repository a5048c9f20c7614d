import { describe, expect, it } from 'vitest'
import {
  accepted,
  confirmedSession,
  createdMethod,
  freshKey,
  openSession,
} from '../../../testing/src/builders/requests.ts'
import { newCustomer, sentInvoice } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { heldProcessor } from '../../../testing/src/ports/held-processor.ts'
import { minute_ms } from '../../src/schema/timestamps.ts'
import { refusal } from './refusals.ts'

const charge = async (
  { engine, caller }: Sandbox,
  payment_method: string,
  options: { customer?: string } = {},
) => {
  const input = { amount: 1000, currency: 'usd' as const, payment_method, ...options }
  return await engine.payments.create(caller, input, { idempotency_key: freshKey() })
}

describe('POST /payment-methods', () => {
  it('makes the one method a confirmed session yields, without charging it', async () => {
    const sandbox = await openSandbox()
    const { engine, caller, processor } = sandbox
    const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
    const create = async () => await engine.payment_methods.create(caller, { payment_method_session })
    const method = accepted(await create())
    expect(method).toMatchObject({ type: 'card', status: 'active', session: payment_method_session })
    expect(processor.ledger.charges()).toEqual([])
    expect(refusal(await create())).toEqual({ code: 'payment_method_session_used' })
    const shown = await engine.payment_method_sessions.retrieve(caller, { id: payment_method_session })
    expect(accepted(shown)).toMatchObject({ payment_method: method.id })
  })

  it('refuses a session that is missing, not confirmed, or succeeded more than 30 minutes ago', async () => {
    const sandbox = await openSandbox()
    const { engine, caller, clock } = sandbox
    const create = async (payment_method_session: string) =>
      refusal(await engine.payment_methods.create(caller, { payment_method_session }))
    expect(await create('pms_test_none')).toEqual({
      code: 'resource_missing',
      param: 'payment_method_session',
    })
    const { id: open } = await openSession(sandbox, 'tok_test_visa')
    expect(await create(open)).toEqual({ code: 'payment_method_session_inactive' })
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    clock.advance(30 * minute_ms + 1)
    expect(await create(id)).toEqual({ code: 'payment_method_session_inactive' })
  })
})

describe('a one-time method', () => {
  it('works exactly 30 minutes after its session succeeded', async () => {
    const sandbox = await openSandbox()
    const { id } = await createdMethod(sandbox, 'tok_test_visa')
    sandbox.clock.advance(30 * minute_ms)
    await sandbox.engine.reconcile()
    expect(accepted(await charge(sandbox, id)).status).toBe('succeeded')
  })

  it('is expired a millisecond later', async () => {
    const sandbox = await openSandbox()
    const { id } = await createdMethod(sandbox, 'tok_test_visa')
    sandbox.clock.advance(30 * minute_ms + 1)
    expect(refusal(await charge(sandbox, id))).toEqual({ code: 'payment_method_unusable' })
    const { engine, caller } = sandbox
    const shown = async () => accepted(await engine.payment_methods.retrieve(caller, { id })).status
    expect(await shown()).toBe('expired')
    await engine.reconcile()
    expect(await shown()).toBe('expired')
    expect(sandbox.processor.ledger.charges()).toEqual([])
  })

  it('is not expired under a charge that is running, and is consumed by it', async () => {
    const sandbox = await openSandbox()
    const { id } = await createdMethod(sandbox, 'tok_test_visa')
    sandbox.clock.advance(30 * minute_ms)
    const gate = heldProcessor(sandbox.processor, 'after')
    const charging = charge(sandbox.another(withProcessor(sandbox, gate.processor)), id)
    await gate.held
    sandbox.clock.jump(1)
    await sandbox.engine.reconcile()
    const row = await sandbox.store.read(sandbox.scope, (rows) => rows.payment_methods.get(id))
    expect(row).toMatchObject({ status: 'active', due_at: null })
    gate.release()
    expect(accepted(await charging).status).toBe('succeeded')
    const { engine, caller } = sandbox
    expect(accepted(await engine.payment_methods.retrieve(caller, { id })).status).toBe('consumed')
  })

  it.each(['tok_test_visa', 'tok_test_declined'])(
    'is consumed by a charge with %s that reached the processor',
    async (token) => {
      const sandbox = await openSandbox()
      const { id } = await createdMethod(sandbox, token)
      await charge(sandbox, id)
      const { engine, caller } = sandbox
      expect(accepted(await engine.payment_methods.retrieve(caller, { id })).status).toBe('consumed')
      expect(refusal(await charge(sandbox, id))).toEqual({ code: 'payment_method_unusable' })
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
    },
  )

  it('is held, and not spent, while nobody knows whether the charge reached the processor', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const { id } = await createdMethod(sandbox, 'tok_test_unknown_approved')
    await charge(sandbox, id)
    expect(accepted(await engine.payment_methods.retrieve(caller, { id })).status).toBe('active')
    expect(refusal(await charge(sandbox, id))).toEqual({ code: 'payment_method_unusable' })
    sandbox.clock.advance(60_000)
    await engine.reconcile()
    expect(accepted(await engine.payment_methods.retrieve(caller, { id })).status).toBe('consumed')
  })

  it('stays active and usable where the charge never reached the processor', async () => {
    const sandbox = await openSandbox()
    const { engine, caller, processor } = sandbox
    const { id } = await createdMethod(sandbox, 'tok_test_unreachable')
    for (const _ of [1, 2]) {
      const refused = await charge(sandbox, id)
      expect(refused.isErr() && refused.error).toMatchObject({
        code: 'card_declined',
        extra: { decline_code: 'processing_error', payment: expect.stringMatching(/^pay_test_/) },
      })
      expect(accepted(await engine.payment_methods.retrieve(caller, { id })).status).toBe('active')
    }
    expect(processor.ledger.charges()).toEqual([])
    const listed = accepted(await engine.payments.list(caller, { status: 'failed' })).data
    expect(listed.map(({ failure }) => failure?.code)).toEqual([
      'processor_unreachable',
      'processor_unreachable',
    ])
  })
})

describe('a saved method', () => {
  it('is charged again and again and stays active', async () => {
    const sandbox = await openSandbox()
    const customer = await newCustomer(sandbox)
    const { id } = await createdMethod(sandbox, 'tok_test_visa', { customer })
    sandbox.clock.advance(400 * 24 * 60 * minute_ms)
    for (const _ of [1, 2, 3]) {
      expect(accepted(await charge(sandbox, id))).toMatchObject({ status: 'succeeded', customer })
    }
    expect(sandbox.processor.ledger.charges()).toHaveLength(3)
  })

  it('belongs to its customer: another one is refused', async () => {
    const sandbox = await openSandbox()
    const customer = await newCustomer(sandbox)
    const other = await newCustomer(sandbox)
    const { id } = await createdMethod(sandbox, 'tok_test_visa', { customer })
    expect(refusal(await charge(sandbox, id, { customer: other }))).toEqual({
      code: 'parameter_invalid',
      param: 'customer',
    })
    expect(accepted(await charge(sandbox, id, { customer })).customer).toBe(customer)
  })

  it('cannot pay the invoice of another customer, and the parameter at fault is one that was sent', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const customer = await newCustomer(sandbox)
    const method = await createdMethod(sandbox, 'tok_test_visa', { customer })
    const session = await confirmedSession(sandbox, 'tok_test_visa', { customer })
    const invoice = await sentInvoice(sandbox)
    const terms = { amount: 1000, currency: 'usd' as const, invoice: invoice.id }
    const requests = {
      payment_method: { payment_method: method.id },
      payment_method_session: { payment_method_session: session.id },
      customer: { payment_method: method.id, customer: invoice.customer },
    }
    for (const [param, named] of Object.entries(requests)) {
      const input = { ...terms, ...named }
      const refused = await engine.payments.create(caller, input, { idempotency_key: freshKey() })
      expect(refused.isErr() && refused.error).toEqual({
        code: 'parameter_invalid',
        param,
        message: 'The payment method belongs to another customer than the invoice.',
      })
    }
  })

  it('is refused with card_expired once its expiry month has passed', async () => {
    const sandbox = await openSandbox()
    const customer = await newCustomer(sandbox)
    const { id } = await createdMethod(sandbox, 'tok_test_visa', { customer })
    sandbox.clock.advance(Date.parse('2034-12-31T23:59:59.999Z') - sandbox.clock.now())
    expect(accepted(await charge(sandbox, id)).status).toBe('succeeded')
    sandbox.clock.advance(1)
    expect(refusal(await charge(sandbox, id))).toEqual({ code: 'card_expired' })
  })

  it('can never be charged again once it is detached', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const customer = await newCustomer(sandbox)
    const { id } = await createdMethod(sandbox, 'tok_test_visa', { customer })
    expect(accepted(await engine.payment_methods.detach(caller, { id })).status).toBe('detached')
    expect(refusal(await charge(sandbox, id))).toEqual({ code: 'payment_method_unusable' })
    expect(refusal(await engine.payment_methods.detach(caller, { id }))).toEqual({
      code: 'payment_method_unusable',
    })
    expect(refusal(await engine.payment_methods.detach(caller, { id: 'pm_test_none' }))).toEqual({
      code: 'resource_missing',
    })
  })

  it('is listed under its customer, newest first', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const customer = await newCustomer(sandbox)
    const first = await createdMethod(sandbox, 'tok_test_visa', { customer })
    await createdMethod(sandbox, 'tok_test_amex')
    const second = await createdMethod(sandbox, 'tok_test_mastercard', { customer })
    expect(accepted(await engine.payment_methods.list(caller, { customer })).data).toEqual([second, first])
    expect(accepted(await engine.payment_methods.list(caller, {})).data).toHaveLength(3)
    expect(accepted(await engine.payment_methods.list(caller, { customer: 'nobody' })).data).toEqual([])
  })
})
