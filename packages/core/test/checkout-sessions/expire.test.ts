import { describe, expect, it } from 'vitest'
import { accepted, confirmedSession, shownPayment } from '../../../testing/src/builders/requests.ts'
import {
  advance,
  eventsOf,
  eventTypesOf,
  helpersOf,
  openCheckout,
  payByHelper,
  payCheckout,
  payerOf,
  shownCheckout,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { heldProcessor } from '../../../testing/src/ports/held-processor.ts'
import { refusal } from '../operations/refusals.ts'

async function opened(expires_in = 1800) {
  const sandbox = await openSandbox()
  return { sandbox, id: (await openCheckout(sandbox, { expires_in })).id }
}

const expire = ({ engine, caller }: Sandbox, id: string) => engine.checkout_sessions.expire(caller, { id })

describe('a checkout session whose time runs out', () => {
  it('is expired at expires_at, and announces it once', async () => {
    const { sandbox, id } = await opened()
    await advance(sandbox, 1799)
    expect((await shownCheckout(sandbox, id)).status).toBe('open')
    await advance(sandbox, 1)
    const expired = await shownCheckout(sandbox, id)
    expect(expired).toMatchObject({ status: 'expired', url: null, payment: null, completed_at: null })
    await advance(sandbox, 86_400)
    await sandbox.engine.reconcile()
    const [event, ...more] = await eventsOf(sandbox, id)
    expect([event?.type, event?.created_at, more]).toEqual([
      'checkout_session.expired',
      '2026-01-31T12:30:00.000Z',
      [],
    ])
    expect(event?.data.object).toEqual(expired)
  })

  it('is shown as expired from that instant, and can be paid no more, before anything reconciles', async () => {
    const { sandbox, id } = await opened()
    const session = await confirmedSession(sandbox, 'tok_test_visa')
    sandbox.clock.advance(1_799_999)
    expect((await shownCheckout(sandbox, id)).status).toBe('open')
    sandbox.clock.advance(1)
    const { engine, caller } = sandbox
    expect((await shownCheckout(sandbox, id)).status).toBe('expired')
    expect(accepted(await engine.checkout_sessions.list(caller, {})).data[0]?.status).toBe('expired')
    const late = { id, payment_method_session: session.id }
    expect(refusal(await engine.checkout_sessions.pay(payerOf(sandbox), late))).toEqual({ code: 'conflict' })
    expect(sandbox.processor.ledger.charges()).toEqual([])
  })

  it.each([
    ['settle', 'complete', ['checkout_session.completed']],
    ['fail', 'expired', ['checkout_session.expired']],
  ] as const)('waits for the payment in flight: after a %s it is %s', async (step, status, types) => {
    const { sandbox, id } = await opened()
    accepted(await payByHelper(sandbox, { id, token: 'tok_test_unknown_forever' }))
    await advance(sandbox, 7200)
    expect((await shownCheckout(sandbox, id)).status).toBe('open')
    expect(refusal(await expire(sandbox, id))).toEqual({ code: 'checkout_session_payment_in_flight' })
    const [payment] = (await readRows(sandbox.store, sandbox.scope)).payments
    const helper = helpersOf(sandbox.engine).payment[step]
    accepted(await helper(sandbox.caller, { id: payment?.id }))
    expect((await shownCheckout(sandbox, id)).status).toBe(status)
    await advance(sandbox, 60)
    expect(await eventTypesOf(sandbox, id)).toEqual(types)
  })

  it('is expired by the very decline it waited for, and announced with it', async () => {
    const { sandbox, id } = await opened()
    const gate = heldProcessor(sandbox.processor, 'after')
    const slow = sandbox.another(withProcessor(sandbox, gate.processor))
    const paying = payCheckout(slow, 'tok_test_declined', { id })
    await gate.held
    sandbox.clock.jump(1_800_000)
    expect((await shownCheckout(sandbox, id)).status).toBe('open')
    gate.release()
    expect(refusal(await paying)).toEqual({ code: 'card_declined' })
    expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.expired'])
  })

  it('goes on to expire at its own time when a payment failed before', async () => {
    const { sandbox, id } = await opened()
    accepted(await payByHelper(sandbox, { id, token: 'tok_test_declined' }))
    await advance(sandbox, 1800)
    expect((await shownCheckout(sandbox, id)).status).toBe('expired')
  })
})

describe('POST /checkout-sessions/{id}/expire', () => {
  it('closes an open page early, and again answers 200 without a second event', async () => {
    const { sandbox, id } = await opened()
    const expired = accepted(await expire(sandbox, id))
    expect(expired).toMatchObject({
      id,
      status: 'expired',
      url: null,
      expires_at: '2026-01-31T12:30:00.000Z',
    })
    expect(accepted(await expire(sandbox, id))).toEqual(expired)
    await advance(sandbox, 3600)
    expect(accepted(await expire(sandbox, id))).toEqual(expired)
    expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.expired'])
  })

  it('at or after its time answers 200 as well, and announces it once', async () => {
    const { sandbox, id } = await opened()
    sandbox.clock.advance(1_800_000)
    expect(accepted(await expire(sandbox, id)).status).toBe('expired')
    await sandbox.engine.reconcile()
    expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.expired'])
  })

  it('of a complete session is a conflict, and of none 404', async () => {
    const { sandbox, id } = await opened()
    accepted(await payCheckout(sandbox, 'tok_test_visa', { id }))
    expect(refusal(await expire(sandbox, id))).toEqual({ code: 'conflict' })
    expect(refusal(await expire(sandbox, 'cs_test_none'))).toEqual({ code: 'resource_missing' })
    expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.completed'])
  })

  it('while the charge is at the processor answers 409 and changes nothing', async () => {
    const { sandbox, id } = await opened()
    const gate = heldProcessor(sandbox.processor, 'before')
    const paying = payCheckout(sandbox.another(withProcessor(sandbox, gate.processor)), 'tok_test_visa', {
      id,
    })
    await gate.held
    expect(refusal(await expire(sandbox, id))).toEqual({ code: 'checkout_session_payment_in_flight' })
    gate.release()
    const { id: payment } = accepted(await paying)
    expect(await shownCheckout(sandbox, id)).toMatchObject({ status: 'complete', payment })
    expect((await shownPayment(sandbox, payment)).status).toBe('succeeded')
  })

  it('can be retried once the payment it waited for has failed', async () => {
    const { sandbox, id } = await opened(86_400)
    accepted(await payByHelper(sandbox, { id, token: 'tok_test_unknown_declined' }))
    expect(refusal(await expire(sandbox, id))).toEqual({ code: 'checkout_session_payment_in_flight' })
    await advance(sandbox, 60)
    expect(accepted(await expire(sandbox, id)).status).toBe('expired')
  })
})
