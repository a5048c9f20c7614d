import { describe, expect, it } from 'vitest'
import { simulatedProcessor } from '../../../processor-simulator/src/simulated-processor.ts'
import {
  accepted,
  confirmation,
  confirmedSession,
  createdMethod,
  openSession,
  pay,
  send,
} from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { OperationName } from '../../src/engine/operations.ts'
import { minute_ms } from '../../src/schema/timestamps.ts'

type Prepared = { sandbox?: Sandbox; input: object }
type Case = [
  answer: string,
  operation: OperationName,
  prepare: (sandbox: Sandbox) => Promise<Prepared> | Prepared,
]

const charge = (names: object) => ({ amount: 1000, currency: 'usd', ...names })
const url = 'https://receiver.example.com/hooks'

const confirming =
  (token: string, changed: object = {}) =>
  async (sandbox: Sandbox): Promise<Prepared> => {
    const { id } = await openSession(sandbox, token)
    return { input: { ...confirmation(id, token), ...changed } }
  }

const charging =
  (token: string) =>
  async (sandbox: Sandbox): Promise<Prepared> => {
    const { id } = await confirmedSession(sandbox, token)
    return { input: charge({ payment_method_session: id }) }
  }

const cases: Case[] = [
  ['200', 'payment_method_sessions.create', () => ({ input: {} })],
  ['200', 'payment_method_sessions.confirm', confirming('tok_test_visa')],
  [
    '200',
    'payment_method_sessions.cancel',
    async (sandbox) => named(await openSession(sandbox, 'tok_test_visa')),
  ],
  [
    '200',
    'payment_methods.create',
    async (sandbox) => usedBy(await confirmedSession(sandbox, 'tok_test_visa')),
  ],
  ['200', 'payment_methods.detach', async (sandbox) => named(await createdMethod(sandbox, 'tok_test_visa'))],
  ['200', 'payments.create', charging('tok_test_visa')],
  ['200', 'payments.create', charging('btok_test_success')],
  ['200', 'payments.create', charging('tok_test_unknown_forever')],
  ['200', 'webhook_endpoints.create', () => ({ input: { url, enabled_events: ['*'] } })],
  ['400 parameter_invalid', 'payment_method_sessions.create', () => ({ input: { amount: 5 } })],
  ['404 resource_missing', 'payment_method_sessions.create', () => ({ input: { customer: 'nobody' } })],
  ['404 resource_missing', 'payment_method_sessions.cancel', () => ({ input: { id: 'pms_test_none' } })],
  ['400 card_expired', 'payment_method_sessions.confirm', confirming('tok_test_expired')],
  ['402 card_verification_failed', 'payment_method_sessions.confirm', confirming('tok_test_incorrect_cvc')],
  [
    '402 bank_account_verification_failed',
    'payment_method_sessions.confirm',
    confirming('btok_test_verification_fails'),
  ],
  [
    '400 ach_authorization_required',
    'payment_method_sessions.confirm',
    confirming('btok_test_success', { ach_authorization: { accepted: false, terms_version: '2026-01' } }),
  ],
  [
    '400 ach_terms_version_unsupported',
    'payment_method_sessions.confirm',
    confirming('btok_test_success', { ach_authorization: { accepted: true, terms_version: '1999' } }),
  ],
  [
    '400 payment_method_session_inactive',
    'payments.create',
    async (sandbox) => ({
      input: charge({ payment_method_session: (await openSession(sandbox, 'tok_test_visa')).id }),
    }),
  ],
  [
    '400 payment_method_session_used',
    'payments.create',
    async (sandbox) => {
      const { session } = await createdMethod(sandbox, 'tok_test_visa')
      return { input: charge({ payment_method_session: session }) }
    },
  ],
  [
    '400 payment_method_unusable',
    'payments.create',
    async (sandbox) => {
      const { id: payment_method } = await createdMethod(sandbox, 'tok_test_visa')
      sandbox.clock.advance(30 * minute_ms + 1)
      return { input: charge({ payment_method }) }
    },
  ],
  [
    '400 payment_provider_not_configured',
    'payments.create',
    async (sandbox) => {
      const prepared = await charging('btok_test_success')(sandbox)
      const cards = sandbox.another(withProcessor(sandbox, simulatedProcessor({ types: ['card'] })))
      return { ...prepared, sandbox: cards }
    },
  ],
  ['402 card_declined', 'payments.create', charging('tok_test_declined')],
  ['402 card_declined', 'payments.create', charging('tok_test_unreachable')],
  [
    '409 conflict',
    'events.resend',
    async (sandbox) => {
      const { engine, caller } = sandbox
      const endpoint = (
        await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] })
      )._unsafeUnwrap()
      await pay(sandbox, 'tok_test_visa')
      const [event] = (await engine.events.list(caller, {}))._unsafeUnwrap().data
      return { input: { id: event?.id, endpoint: endpoint.id } }
    },
  ],
]

function named({ id }: { id: string }): Prepared {
  return { input: { id } }
}

function usedBy({ id }: { id: string }): Prepared {
  return { input: { payment_method_session: id } }
}

describe('a replay', () => {
  it.each(cases)(
    'of %s from %s is byte-identical and changes no row',
    async (expected, operation, prepare) => {
      const sandbox = await openSandbox()
      const { sandbox: asked = sandbox, input } = await prepare(sandbox)
      const first = await send(asked, operation, { input, key: 'the-key' })
      expect([first.status, first.code].filter((part) => part !== null).join(' ')).toBe(expected)
      expect(first.replayed).toBe(false)
      const before = await readRows(sandbox.store, sandbox.scope)
      const charges = sandbox.processor.ledger.charges().length
      for (const from of [asked, sandbox.another()]) {
        const again = await send(from, operation, { input, key: 'the-key' })
        expect(again).toEqual({ ...first, replayed: true })
      }
      expect(await readRows(sandbox.store, sandbox.scope)).toEqual(before)
      expect(sandbox.processor.ledger.charges()).toHaveLength(charges)
    },
  )

  it('says what was answered first, whatever became of the payment since', async () => {
    const sandbox = await openSandbox()
    const { input } = await charging('btok_test_success')(sandbox)
    const first = await send(sandbox, 'payments.create', { input, key: 'k' })
    sandbox.clock.advance(60_000)
    await sandbox.engine.reconcile()
    const { id } = JSON.parse(first.body)
    expect((await sandbox.engine.payments.retrieve(sandbox.caller, { id }))._unsafeUnwrap().status).toBe(
      'succeeded',
    )
    expect(await send(sandbox, 'payments.create', { input, key: 'k' })).toEqual({ ...first, replayed: true })
  })

  it('keeps the id of the original request in an error', async () => {
    const sandbox = await openSandbox()
    const first = await send(sandbox, 'payments.create', { input: {}, key: 'k' })
    const again = await send(sandbox, 'payments.create', { input: {}, key: 'k' })
    expect(JSON.parse(again.body).error.request_id).toBe(JSON.parse(first.body).error.request_id)
  })
})

describe('a call of the library', () => {
  it('is the same one where only the order of its members differs', async () => {
    const { engine, caller } = await openSandbox()
    const key = { idempotency_key: 'k' }
    const first = accepted(
      await engine.webhook_endpoints.create(
        caller,
        { url, enabled_events: ['*'], description: undefined },
        key,
      ),
    )
    const again = await engine.webhook_endpoints.create(caller, { enabled_events: ['*'], url }, key)
    expect(accepted(again)).toEqual(first)
    const other = await engine.webhook_endpoints.create(caller, { enabled_events: ['*', '*'], url }, key)
    expect(other._unsafeUnwrapErr().code).toBe('idempotency_key_reused')
  })
})

describe('what is stored under a key', () => {
  it('is no answer about the key itself or about details in the clear', async () => {
    const sandbox = await openSandbox()
    const { input } = await charging('tok_test_visa')(sandbox)
    const leaked = await send(sandbox, 'payments.create', { input: { number: '1' }, key: 'k' })
    expect(leaked.code).toBe('card_not_tokenized')
    expect((await send(sandbox, 'payments.create', { input, key: 'k' })).status).toBe(200)
    const reused = await send(sandbox, 'payments.create', { input: { number: '1' }, key: 'k' })
    expect(reused.code).toBe('idempotency_key_reused')
    expect((await send(sandbox, 'payments.create', { input, key: 'k' })).replayed).toBe(true)
  })

  it('shows neither a client_secret nor a webhook secret, though a replay does', async () => {
    const sandbox = await openSandbox()
    const session = await send(sandbox, 'payment_method_sessions.create', { input: {}, key: 's' })
    const endpoint = await send(sandbox, 'webhook_endpoints.create', {
      input: { url, enabled_events: ['*'] },
      key: 'e',
    })
    const stored = JSON.stringify(await readRows(sandbox.store, sandbox.scope))
    expect(stored).not.toContain(JSON.parse(session.body).client_secret)
    expect(stored).not.toContain(JSON.parse(endpoint.body).secret)
  })
})
