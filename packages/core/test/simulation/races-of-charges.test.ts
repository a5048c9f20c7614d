import { describe, expect, it } from 'vitest'
import {
  accepted,
  confirmation,
  confirmedSession,
  createdMethod,
  openSession,
  send,
} from '../../../testing/src/builders/requests.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { minute_ms } from '../../src/schema/timestamps.ts'
import { race, tally } from './races.ts'

const create = (sandbox: Sandbox, input: object, key: string) =>
  send(sandbox, 'payments.create', { input: { amount: 1000, currency: 'usd', ...input }, key })

const answers = async (requests: Promise<{ status: number; code: string | null }>[]) =>
  tally((await Promise.all(requests)).map(({ status, code }) => code ?? String(status)))

describe('races of charges', () => {
  it('R1 the same key N times at once: one payment, one charge, every other answer a replay or in flight', () =>
    race(async ({ sandbox, first, second }) => {
      const { id } = await confirmedSession(sandbox, 'tok_test_visa')
      const input = { payment_method_session: id }
      const from = [first, second, first, second, first, second]
      const all = await Promise.all(from.map((one) => create(one, input, 'k')))
      const done = all.filter(({ status }) => status === 200)
      expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1)
      expect(new Set(done.map(({ body }) => body)).size).toBe(1)
      const others = all.filter(({ status }) => status !== 200)
      for (const { code } of others) expect(code).toBe('idempotency_key_in_flight')
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
    }))

  it('R2 the same key with another body: one of them is charged, the other is refused as reused', () =>
    race(async ({ sandbox, first, second }) => {
      const one = await confirmedSession(sandbox, 'tok_test_visa')
      const two = await confirmedSession(sandbox, 'tok_test_amex')
      const came = await answers([
        create(first, { payment_method_session: one.id }, 'k'),
        create(second, { payment_method_session: two.id }, 'k'),
      ])
      expect(came).toEqual({ 200: 1, idempotency_key_reused: 1 })
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
    }))

  it('R3 two keys with one one-time method: it is charged once', () =>
    race(async ({ sandbox, first, second }) => {
      const { id } = await createdMethod(sandbox, 'tok_test_visa')
      const came = await answers([
        create(first, { payment_method: id }, 'a'),
        create(second, { payment_method: id }, 'b'),
      ])
      expect(came).toEqual({ 200: 1, payment_method_unusable: 1 })
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
    }))

  it('R4 one session used N times: exactly one wins, the others get payment_method_session_used', () =>
    race(async ({ sandbox, first, second }) => {
      const { id } = await confirmedSession(sandbox, 'tok_test_visa')
      const input = { payment_method_session: id }
      const came = await answers([
        create(first, input, 'a'),
        create(second, input, 'b'),
        create(first, input, 'c'),
        send(second, 'payment_methods.create', { input }),
      ])
      expect(came).toEqual({ 200: 1, payment_method_session_used: 3 })
    }))

  it('R5 a session confirmed at the expiry instant: confirmed or expired, never both', () =>
    race(async ({ sandbox, first, second, random }) => {
      const { id } = await openSession(sandbox, 'tok_test_visa')
      sandbox.clock.advance(30 * minute_ms - 1)
      const confirm = send(first, 'payment_method_sessions.confirm', {
        input: confirmation(id, 'tok_test_visa'),
      })
      for (let turn = random.below(60); turn > 0; turn -= 1) await Promise.resolve()
      sandbox.clock.advance(1)
      const [answer] = await Promise.all([confirm, second.engine.reconcile()])
      const shown = await sandbox.engine.payment_method_sessions.retrieve(sandbox.caller, { id })
      const { status } = accepted(shown)
      expect([answer.status, answer.code, status]).toEqual(
        answer.status === 200
          ? [200, null, 'succeeded']
          : [400, 'payment_method_session_inactive', 'expired'],
      )
    }))

  it('a method detached while it is charged: charged before, or never', () =>
    race(async ({ sandbox, first, second }) => {
      const { id } = await createdMethod(sandbox, 'tok_test_visa')
      const [charged, detached] = await Promise.all([
        create(first, { payment_method: id }, 'a'),
        send(second, 'payment_methods.detach', { input: { id } }),
      ])
      expect([charged.status, detached.status].sort()).toEqual([200, 400])
    }))
})
