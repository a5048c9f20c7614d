import { describe, expect, it } from 'vitest'
import { confirmedSession, openSession } from '../../../testing/src/builders/requests.ts'
import {
  eventTypesOf,
  openCheckout,
  payByHelper,
  payCheckout,
  payerOf,
  shownCheckout,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { refusal } from '../operations/refusals.ts'
import { dyingIn, everywhere, type Plan } from '../simulation/dying-process.ts'

interface Page {
  sandbox: Sandbox
  id: string
  pay(process: Sandbox): Promise<Awaited<ReturnType<Sandbox['engine']['checkout_sessions']['pay']>>>
}

async function prepared(token: string): Promise<Page> {
  const sandbox = await openSandbox()
  const { id } = await openCheckout(sandbox, { expires_in: 1800 })
  const { id: payment_method_session } = await confirmedSession(sandbox, token)
  const input = { id, payment_method_session }
  const pay = async (process: Sandbox) =>
    await process.engine.checkout_sessions.pay(payerOf(process), input, { idempotency_key: 'k' })
  return { sandbox, id, pay }
}

/** The page, after the process that was charging for it died. */
async function diedAt(plan: Plan, token = 'tok_test_visa'): Promise<Page> {
  const page = await prepared(token)
  await dyingIn(page.sandbox, plan, page.pay)
  await expectInvariants(page.sandbox, 'after the death')
  return page
}

async function healed({ sandbox, pay }: Page) {
  expect(refusal(await pay(sandbox)).code).toBe('idempotency_key_in_flight')
  sandbox.clock.advance(30_000)
  return pay(sandbox)
}

const atCharge = (death: 'before' | 'after') => (call: { method: string }) =>
  call.method === 'charge' ? death : 'lives'
const atOutcome = (death: 'before' | 'after') => (call: { method: string; n: number }) =>
  call.method === 'transaction' && call.n > 2 ? death : 'lives'

describe('a page whose process dies while it is paid', () => {
  it('W1 before anything was written: is open, and is paid by a retry', async () => {
    const { sandbox, id, pay } = await diedAt((call) => (call.n === 1 ? 'before' : 'lives'))
    expect((await shownCheckout(sandbox, id)).status).toBe('open')
    expect((await pay(sandbox)).isOk()).toBe(true)
  })

  it('W2 before the charge: is held for as long as nobody knows, and open again', async () => {
    const page = await diedAt(atCharge('before'))
    const { sandbox, id } = page
    const { engine, caller } = sandbox
    expect(refusal(await engine.checkout_sessions.expire(caller, { id }))).toEqual({
      code: 'checkout_session_payment_in_flight',
    })
    expect(refusal(await healed(page)).code).toBe('card_declined')
    expect(sandbox.processor.ledger.charges()).toEqual([])
    expect((await payByHelper(sandbox, { id, token: 'tok_test_visa' }))._unsafeUnwrap().status).toBe(
      'complete',
    )
  })

  it.each(['tok_test_visa', 'btok_test_success'])(
    'W3 after the charge: is complete once the processor was asked (%s)',
    async (token) => {
      const page = await diedAt(atCharge('after'), token)
      const payment = (await healed(page))._unsafeUnwrap()
      expect(await shownCheckout(page.sandbox, page.id)).toMatchObject({
        status: 'complete',
        payment: payment.id,
      })
      expect(await eventTypesOf(page.sandbox, page.id)).toEqual(['checkout_session.completed'])
      expect(page.sandbox.processor.ledger.charges()).toHaveLength(1)
    },
  )

  it('W3 after the charge, when its time is over: does not expire, and is completed by the reconciler', async () => {
    const { sandbox, id } = await diedAt(atCharge('after'))
    sandbox.clock.advance(3_600_000)
    await sandbox.engine.reconcile()
    expect((await shownCheckout(sandbox, id)).status).toBe('complete')
    expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.completed'])
  })

  it('W4 with the answer in hand and not committed: the same', async () => {
    const page = await diedAt(atOutcome('before'))
    expect((await healed(page))._unsafeUnwrap().status).toBe('succeeded')
    expect((await shownCheckout(page.sandbox, page.id)).status).toBe('complete')
  })

  it('W5 with everything committed: payment, page and both events are there, and a replay says so', async () => {
    const { sandbox, id, pay } = await diedAt(atOutcome('after'))
    const before = await readRows(sandbox.store, sandbox.scope)
    expect(before.events.map(({ type }) => type)).toEqual(['payment.succeeded', 'checkout_session.completed'])
    const { payment } = await shownCheckout(sandbox, id)
    expect((await pay(sandbox))._unsafeUnwrap().id).toBe(payment)
    expect(await readRows(sandbox.store, sandbox.scope)).toEqual(before)
  })
})

describe('a process that dies at any call', () => {
  const tokens = [
    'tok_test_visa',
    'tok_test_declined',
    'tok_test_unknown_approved',
    'btok_test_account_closed',
  ]

  it.each(tokens)(
    'while a page is paid with %s leaves it complete or expired, and one charge',
    async (token) => {
      await everywhere(async (plan, about) => {
        const { sandbox, id, pay } = await prepared(token)
        const calls = await dyingIn(sandbox, plan, pay)
        await expectInvariants(sandbox, about)
        await expectQuiet(sandbox, about)
        expect(['complete', 'expired']).toContain((await shownCheckout(sandbox, id)).status)
        expect(await eventTypesOf(sandbox, id)).toHaveLength(1)
        expect(sandbox.processor.ledger.charges().length).toBeLessThanOrEqual(1)
        return calls
      })
    },
  )

  it('while the merchant expires a page leaves it open or expired, and announced accordingly', async () => {
    await everywhere(async (plan, about) => {
      const { sandbox, id } = await prepared('tok_test_visa')
      const calls = await dyingIn(sandbox, plan, async ({ engine, caller }) => {
        await engine.checkout_sessions.expire(caller, { id })
      })
      await expectInvariants(sandbox, about)
      await expectQuiet(sandbox, about)
      return calls
    })
  })

  it('while it reconciles pages, payments and refunds leaves the rest to the next one', async () => {
    await everywhere(async (plan, about) => {
      const sandbox = await openSandbox()
      for (const token of ['tok_test_unknown_approved', 'tok_test_unknown_declined', 'btok_test_success']) {
        await payCheckout(sandbox, token, await openCheckout(sandbox, { expires_in: 1800 }))
      }
      await openCheckout(sandbox, { expires_in: 1800 })
      await openSession(sandbox, 'tok_test_visa')
      sandbox.clock.advance(1_800_000)
      const calls = await dyingIn(sandbox, plan, ({ engine }) => engine.reconcile())
      await expectInvariants(sandbox, about)
      await expectQuiet(sandbox, about)
      return calls
    })
  })
})
