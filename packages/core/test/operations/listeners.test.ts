import { expect, it } from 'vitest'
import { accepted, confirmedSession, freshKey } from '../../../testing/src/builders/requests.ts'
import { advance } from '../../../testing/src/builders/sales.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from './refusals.ts'

it('a listener that throws undoes what it was told of, and is told again; nothing is charged twice', async () => {
  const told: string[] = []
  const sandbox = await openSandbox({
    on: {
      'payment.succeeded': ({ id }) => {
        told.push(id)
        if (told.length === 1) throw new Error('the listener is on fire')
      },
    },
  })
  const { engine, caller } = sandbox
  const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
  const input = { amount: 1000, currency: 'USD' as const, payment_method_session }
  const create = () => engine.payments.create(caller, input, { idempotency_key: 'once' })
  expect(refusal(await create())).toMatchObject({ code: 'internal_error' })
  expect(accepted(await engine.events.list(caller, {})).data).toEqual([])
  await advance(sandbox, 60)
  const [payment, ...more] = accepted(await engine.payments.list(caller, {})).data
  expect([payment?.status, more]).toEqual(['succeeded', []])
  const [event, ...others] = accepted(await engine.events.list(caller, {})).data
  expect([event?.id, others]).toEqual([told[1], []])
  expect(told).toHaveLength(2)
  expect(refusal(await create())).toMatchObject({ code: 'internal_error' })
})

it('a listener that throws takes a command with it', async () => {
  const sandbox = await openSandbox({
    on: {
      'checkout_session.expired': () => Promise.reject(new Error('the listener is on fire')),
    },
  })
  const { engine, caller } = sandbox
  const urls = { success_url: 'https://shop.example.com/ok', cancel_url: 'https://shop.example.com/no' }
  const { id } = accepted(
    await engine.checkout_sessions.create(caller, { amount: 1000, currency: 'USD', ...urls }),
  )
  await expect((async () => engine.checkout_sessions.expire(caller, { id }))()).rejects.toThrow('on fire')
  const options = { idempotency_key: freshKey() }
  const kept = await engine.checkout_sessions.expire(caller, { id }, options)
  expect(refusal(kept)).toMatchObject({ code: 'internal_error' })
  expect(accepted(await engine.checkout_sessions.retrieve(caller, { id })).status).toBe('open')
  expect(accepted(await engine.events.list(caller, {})).data).toEqual([])
})
