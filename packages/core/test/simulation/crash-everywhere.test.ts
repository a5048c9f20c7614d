import { describe, expect, it } from 'vitest'
import {
  confirmation,
  confirmedSession,
  openSession,
  pay,
  send,
} from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/simulation/expect-invariants.ts'
import { type Death, mortalProcess } from '../../../testing/src/simulation/mortal-process.ts'
import type { PortCall } from '../../../testing/src/simulation/ports.ts'

type Plan = (call: PortCall) => Death

/** A process of its own on the sandbox's store and processor, which dies as planned. */
function dyingProcess(sandbox: Sandbox, plan: Plan) {
  const mortal = mortalProcess(sandbox, plan)
  const ports = { ...withProcessor(sandbox, mortal.processor), store: mortal.store }
  return { ...sandbox.another(ports), mortal }
}

/** Runs `history` once for every call it makes to a port, killing the process there: before it, and after it. */
async function everywhere(
  history: (plan: Plan, about: string) => Promise<{ calls: number }>,
): Promise<number> {
  const { calls } = await history(() => 'lives', 'nobody dies')
  for (let n = 1; n <= calls; n += 1) {
    for (const death of ['before', 'after'] as const) {
      await history((call) => (call.n === n ? death : 'lives'), `dies ${death} call ${n}`)
    }
  }
  return calls
}

const tokens = [
  'tok_test_visa',
  'tok_test_declined',
  'tok_test_unreachable',
  'tok_test_unknown_approved',
  'tok_test_unknown_declined',
  'tok_test_unknown_forever',
  'tok_test_chargeback',
  'btok_test_success',
  'btok_test_refused',
  'btok_test_late_return',
]

describe('a process that dies at any call', () => {
  it.each(tokens)(
    'while it charges %s leaves one payment, one charge at most, and one answer',
    async (token) => {
      const calls = await everywhere(async (plan, about) => {
        const sandbox = await openSandbox()
        const { id } = await confirmedSession(sandbox, token)
        const dying = dyingProcess(sandbox, plan)
        const input = { amount: 1000, currency: 'usd', payment_method_session: id }
        const create = (from: Sandbox) => send(from, 'payments.create', { input, key: 'k' })
        await Promise.race([create(dying), dying.mortal.died])
        await expectInvariants(sandbox, about)
        const first = await create(sandbox)
        if (first.status === 409) {
          sandbox.clock.advance(30_000)
          expect((await create(sandbox)).status).not.toBe(409)
        }
        const answer = await create(sandbox)
        const rows = await expectQuiet(sandbox, about)
        expect({ about, payments: rows.payments.length }).toEqual({ about, payments: 1 })
        expect(sandbox.processor.ledger.charges().length).toBeLessThanOrEqual(1)
        expect(answer).toMatchObject({ replayed: true })
        return { calls: dying.mortal.calls() }
      })
      expect(calls).toBe(3)
    },
  )

  it('while a browser confirms a session lets the browser confirm it again', async () => {
    const calls = await everywhere(async (plan, about) => {
      const sandbox = await openSandbox()
      const { id } = await openSession(sandbox, 'tok_test_visa')
      const dying = dyingProcess(sandbox, plan)
      const request = { input: confirmation(id, 'tok_test_visa') }
      await Promise.race([send(dying, 'payment_method_sessions.confirm', request), dying.mortal.died])
      await expectInvariants(sandbox, about)
      const again = await send(sandbox, 'payment_method_sessions.confirm', request)
      expect({ about, status: again.status }).toEqual({ about, status: 200 })
      return { calls: dying.mortal.calls() }
    })
    expect(calls).toBe(3)
  })

  it('while it reconciles leaves the rest to the next one, and nothing is done twice', async () => {
    const calls = await everywhere(async (plan, about) => {
      const sandbox = await openSandbox()
      for (const token of tokens) await pay(sandbox, token)
      await openSession(sandbox, 'tok_test_visa')
      const dying = dyingProcess(sandbox, plan)
      for (const wait_ms of [60_000, 3 * 86_400_000]) {
        sandbox.clock.advance(wait_ms)
        await Promise.race([dying.engine.reconcile(), dying.mortal.died])
        await expectInvariants(sandbox, about)
      }
      await expectQuiet(sandbox, about)
      return { calls: dying.mortal.calls() }
    })
    expect(calls).toBeGreaterThan(20)
  })

  it('while it voids a payment leaves it canceled or settled, on both sides alike', async () => {
    await everywhere(async (plan, about) => {
      const sandbox = await openSandbox()
      const paid = (await pay(sandbox, 'btok_test_success'))._unsafeUnwrap()
      const dying = dyingProcess(sandbox, plan)
      const { scope } = sandbox
      await Promise.race([dying.engine.admin.payments.void(scope, { id: paid.id }), dying.mortal.died])
      const rows = await expectQuiet(sandbox, about)
      const [charge] = sandbox.processor.ledger.charges()
      const ours = rows.payments.map(({ status }) => status)
      expect({ about, ours }).toEqual({
        about,
        ours: [charge?.state.kind === 'voided' ? 'canceled' : 'succeeded'],
      })
      return { calls: dying.mortal.calls() }
    })
  })
})
