import { describe, expect, it } from 'vitest'
import { confirmation, confirmedSession, openSession, send } from '../../../testing/src/builders/requests.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import type { OperationName } from '../../src/engine/operations.ts'
import { err } from '../../src/kernel/result.ts'

const card = '4242 4242 4242 4242'

/** Requests that carry card or account details in the clear, and what they are answered with. */
const leaks: [OperationName, object, string, string][] = [
  ['payment_method_sessions.create', { customer: card }, 'card_not_tokenized', 'customer'],
  ['payment_method_sessions.create', { number: '1' }, 'card_not_tokenized', 'number'],
  ['payment_method_sessions.create', { account_number: '1' }, 'bank_account_not_tokenized', 'account_number'],
  ['payment_method_sessions.confirm', { card: { cvc: '123' } }, 'card_not_tokenized', 'card.cvc'],
  [
    'payment_method_sessions.confirm',
    { us_bank_account: { routing_number: '110000000' } },
    'bank_account_not_tokenized',
    'us_bank_account.routing_number',
  ],
  [
    'payment_method_sessions.confirm',
    { card: { token: '4242424242424242' } },
    'card_not_tokenized',
    'card.token',
  ],
  ['payment_method_sessions.cancel', { note: card }, 'card_not_tokenized', 'note'],
  [
    'payment_methods.create',
    { payment_method_session: card },
    'card_not_tokenized',
    'payment_method_session',
  ],
  ['payment_methods.detach', { note: card }, 'card_not_tokenized', 'note'],
  ['payments.create', { description: '5555-5555-5555-4444' }, 'card_not_tokenized', 'description'],
  ['payments.create', { metadata: { note: '378282246310005' } }, 'card_not_tokenized', 'metadata[note]'],
  ['payments.create', { amount: 4242424242424242 }, 'card_not_tokenized', 'amount'],
]

describe('card and account details in the clear', () => {
  it.each(leaks)('in %s %o are answered with %s', async (operation, leak, code, param) => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'tok_test_visa')
    const own = operation.endsWith('.confirm') || operation.endsWith('.cancel') ? { id } : {}
    const answer = await send(sandbox, operation, { input: { ...own, ...leak }, key: 'leak' })
    expect(answer).toMatchObject({ status: 400, code })
    expect(JSON.parse(answer.body).error).toMatchObject({ code, param })
  })

  it('leave nothing behind: neither a row nor anything under the Idempotency-Key', async () => {
    for (const [operation, leak] of leaks) {
      const sandbox = await openSandbox()
      await send(sandbox, operation, { input: leak, key: 'leak' })
      const kept = await sandbox.store.read(sandbox.scope, async (rows) => [
        await rows.idempotency_keys.get('leak'),
        ...(await rows.payment_method_sessions.page({ where: {}, limit: 10 })),
        ...(await rows.payments.page({ where: {}, limit: 10 })),
      ])
      expect({ operation, kept }).toEqual({ operation, kept: [undefined] })
    }
  })

  it('are searched for in a body that does not even parse', async () => {
    const { engine, caller } = await openSandbox()
    const input = err({ message: 'no JSON', text: '{"card": 4242424242424242' })
    const request = {
      operation: 'payments.create',
      caller,
      input,
      request_id: 'req_1',
      fingerprint: 'f',
    } as const
    expect(await engine.execute({ ...request, idempotency_key: 'k' })).toMatchObject({
      status: 400,
      code: 'card_not_tokenized',
    })
  })

  it('are no long number that fails Luhn, and no shorter one', async () => {
    const sandbox = await openSandbox()
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    const input = { amount: 1, currency: 'usd', payment_method_session: id, metadata: {} }
    const metadata = { order: '4242424242424241', phone: '14155550100', digits: '99999999999999999999' }
    const answer = await send(sandbox, 'payments.create', { input: { ...input, metadata }, key: 'order' })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body).metadata).toEqual(metadata)
  })

  it('never reach a row: what a confirmation keeps is the processor’s token', async () => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'tok_test_visa')
    await send(sandbox, 'payment_method_sessions.confirm', { input: confirmation(id, 'tok_test_visa') })
    const row = await sandbox.store.read(sandbox.scope, (rows) => rows.payment_method_sessions.get(id))
    expect(row?.token).toBe('tok_test_visa')
    expect(JSON.stringify(row)).not.toMatch(/\d{13,19}/)
  })
})
