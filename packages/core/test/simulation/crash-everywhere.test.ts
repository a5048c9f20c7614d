import { describe, expect, it } from 'vitest'
import {
  confirmation,
  confirmedSession,
  openSession,
  pay,
  send,
} from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { dyingIn, dyingProcess, everywhere } from './dying-process.ts'

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
        const input = { amount: 1000, currency: 'usd', payment_method_session: id }
        const create = (from: Sandbox) => send(from, 'payments.create', { input, key: 'k' })
        const calls = await dyingIn(sandbox, plan, create)
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
        return calls
      })
      expect(calls).toBe(3)
    },
  )

  it('while a browser confirms a session lets the browser confirm it again', async () => {
    const calls = await everywhere(async (plan, about) => {
      const sandbox = await openSandbox()
      const { id } = await openSession(sandbox, 'tok_test_visa')
      const request = { input: confirmation(id, 'tok_test_visa') }
      const confirm = (from: Sandbox) => send(from, 'payment_method_sessions.confirm', request)
      const calls = await dyingIn(sandbox, plan, confirm)
      await expectInvariants(sandbox, about)
      expect({ about, status: (await confirm(sandbox)).status }).toEqual({ about, status: 200 })
      return calls
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
        await dying.mortal.quiet()
        await expectInvariants(sandbox, about)
      }
      await expectQuiet(sandbox, about)
      return dying.mortal.calls()
    })
    expect(calls).toBeGreaterThan(20)
  })

  it('while it voids a payment leaves it canceled or settled, on both sides alike', async () => {
    await everywhere(async (plan, about) => {
      const sandbox = await openSandbox()
      const paid = (await pay(sandbox, 'btok_test_success'))._unsafeUnwrap()
      const calls = await dyingIn(sandbox, plan, async ({ engine, scope }) => {
        await engine.admin.payments.void(scope, { id: paid.id })
      })
      const rows = await expectQuiet(sandbox, about)
      const noted = await auditOf(sandbox)
      const [charge] = sandbox.processor.ledger.charges()
      const ours = rows.payments.map(({ status }) => status)
      expect({ about, ours }).toEqual({
        about,
        ours: [charge?.state.kind === 'voided' ? 'canceled' : 'succeeded'],
      })
      if (charge?.state.kind === 'voided')
        expect({ about, noted }).toEqual({ about, noted: ['payments.void'] })
      return calls
    })
  })

  it('while it refunds in the dashboard leaves an entry in the audit log of each refund there is', async () => {
    await everywhere(async (plan, about) => {
      const sandbox = await openSandbox()
      const { id: payment } = (await pay(sandbox, 'tok_test_visa'))._unsafeUnwrap()
      const calls = await dyingIn(sandbox, plan, async ({ engine, scope }) => {
        await engine.admin.refunds.create(scope, { payment })
      })
      const { refunds } = await expectQuiet(sandbox, about)
      const noted = refunds.map(() => 'refunds.create')
      expect({ about, noted: await auditOf(sandbox) }).toEqual({ about, noted })
      return calls
    })
  })
})

/** What the audit log of the sandbox says was done to payments and refunds. */
async function auditOf({ engine, scope }: Sandbox): Promise<string[]> {
  const { data } = (await engine.admin.audit.list(scope))._unsafeUnwrap()
  return data.map(({ action }) => action).filter((action) => /^(payments|refunds)\./.test(action))
}
