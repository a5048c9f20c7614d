import { expect } from 'vitest'
import {
  accepted,
  confirmation,
  confirmedSession,
  createdMethod,
  openSession,
  send,
} from '../../../testing/src/builders/requests.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { minute_ms } from '../../src/schema/timestamps.ts'
import { type Race, type RaceRound, tally } from './race.ts'

const create = (process: Sandbox, input: object, key: string) =>
  send(process, 'payments.create', { input: { amount: 1000, currency: 'usd', ...input }, key })

type Asked = () => Promise<{ status: number; code: string | null }>

/** Sends them all, each a while late, and answers how each came out. */
async function raced({ late }: RaceRound, requests: readonly Asked[]): Promise<string[]> {
  const answers = await Promise.all(requests.map((request) => late().then(request)))
  return answers.map(({ status, code }) => code ?? String(status))
}

const chargesOf = ({ processor }: Sandbox) => processor.ledger.charges()

export const races_of_charges: Race[] = [
  {
    id: 'R1',
    sentence:
      'the same key N times at once: one payment, one charge, every other answer a replay or in flight',
    ends: ['all answered', 'some in flight'],
    async round({ sandbox, first, second, late }) {
      const { id } = await confirmedSession(sandbox, 'tok_test_visa')
      const from = [first, second, first, second, first, second]
      const all = await Promise.all(
        from.map((one) => late().then(() => create(one, { payment_method_session: id }, 'k'))),
      )
      const done = all.filter(({ status }) => status === 200)
      expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1)
      expect(new Set(done.map(({ body }) => body)).size).toBe(1)
      const others = all.filter(({ status }) => status !== 200)
      for (const { code } of others) expect(code).toBe('idempotency_key_in_flight')
      expect(chargesOf(sandbox)).toHaveLength(1)
      return others.length === 0 ? 'all answered' : 'some in flight'
    },
  },
  {
    id: 'R2',
    sentence: 'the same key with another body: one of them is charged, the other is refused as reused',
    ends: ['200,idempotency_key_reused', 'idempotency_key_reused,200'],
    async round(round) {
      const { sandbox, first, second } = round
      const one = await confirmedSession(sandbox, 'tok_test_visa')
      const two = await confirmedSession(sandbox, 'tok_test_amex')
      const came = await raced(round, [
        () => create(first, { payment_method_session: one.id }, 'k'),
        () => create(second, { payment_method_session: two.id }, 'k'),
      ])
      expect(chargesOf(sandbox)).toHaveLength(1)
      return came.join()
    },
  },
  {
    id: 'R3',
    sentence: 'two keys with one one-time method: it is charged once',
    ends: ['200,payment_method_unusable', 'payment_method_unusable,200'],
    async round(round) {
      const { sandbox, first, second } = round
      const { id } = await createdMethod(sandbox, 'tok_test_visa')
      const came = await raced(round, [
        () => create(first, { payment_method: id }, 'a'),
        () => create(second, { payment_method: id }, 'b'),
      ])
      expect(chargesOf(sandbox)).toHaveLength(1)
      return came.join()
    },
  },
  {
    id: 'R3',
    sentence: 'a method detached while it is charged: charged before, or never',
    ends: ['200,payment_method_unusable', 'payment_method_unusable,200'],
    async round(round) {
      const { sandbox, first, second } = round
      const { id } = await createdMethod(sandbox, 'tok_test_visa')
      const [charged, detached] = await raced(round, [
        () => create(first, { payment_method: id }, 'a'),
        () => send(second, 'payment_methods.detach', { input: { id } }),
      ])
      expect(chargesOf(sandbox)).toHaveLength(charged === '200' ? 1 : 0)
      return `${charged},${detached}`
    },
  },
  {
    id: 'R4',
    sentence: 'one session used N times: exactly one wins, the others get payment_method_session_used',
    ends: ['0', '1', '2', '3'],
    async round(round) {
      const { sandbox, first, second } = round
      const { id } = await confirmedSession(sandbox, 'tok_test_visa')
      const input = { payment_method_session: id }
      const came = await raced(round, [
        () => create(first, input, 'a'),
        () => create(second, input, 'b'),
        () => create(first, input, 'c'),
        () => send(second, 'payment_methods.create', { input }),
      ])
      expect(tally(came)).toEqual({ 200: 1, payment_method_session_used: 3 })
      const winner = came.indexOf('200')
      expect(chargesOf(sandbox)).toHaveLength(winner === 3 ? 0 : 1)
      return String(winner)
    },
  },
  {
    id: 'R5',
    sentence: 'a session confirmed at the expiry instant: confirmed or expired, never both',
    ends: ['200 succeeded', 'payment_method_session_inactive expired'],
    async round({ sandbox, first, second, late }) {
      const { id } = await openSession(sandbox, 'tok_test_visa')
      sandbox.clock.advance(30 * minute_ms - 1)
      const input = confirmation(id, 'tok_test_visa')
      const expiring = async () => {
        await late()
        sandbox.clock.advance(1)
        await second.engine.reconcile()
      }
      const confirming = late().then(() => send(first, 'payment_method_sessions.confirm', { input }))
      const [{ status, code }] = await Promise.all([confirming, expiring()])
      const shown = await sandbox.engine.payment_method_sessions.retrieve(sandbox.caller, { id })
      const [session] = (await readRows(sandbox.store, sandbox.scope)).payment_method_sessions
      if (session?.succeeded_at != null) expect(session.succeeded_at < session.expires_at).toBe(true)
      return `${code ?? status} ${accepted(shown).status}`
    },
  },
]
