import { describe, expect, it } from 'vitest'
import {
  accepted,
  confirmedSession,
  openSession,
  pay,
  shownPayment,
} from '../../../testing/src/builders/requests.ts'
import {
  advance,
  eventsOf,
  eventTypesOf,
  openCheckout,
  payByHelper,
  payCheckout,
  payerOf,
  refund,
  shownCheckout,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { Processor } from '../../src/ports/processor.ts'
import { iso } from '../../src/schema/timestamps.ts'
import { refusal } from '../operations/refusals.ts'

async function opened(input: Parameters<typeof openCheckout>[1] = {}) {
  const sandbox = await openSandbox()
  return { sandbox, id: (await openCheckout(sandbox, input)).id }
}

const inFlight = { code: 'checkout_session_payment_in_flight' }

/** A processor that charges and then loses its answer. */
function losingAnswers(sandbox: Sandbox): Sandbox {
  const charge: Processor['charge'] = async (request) => {
    await sandbox.processor.charge(request)
    throw new Error('connection reset')
  }
  return sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge }))
}

describe('a checkout session that is paid', () => {
  it.each([
    ['tok_test_visa', 'succeeded'],
    ['btok_test_success', 'processing'],
  ])('with %s is complete at once, and names the payment', async (token, status) => {
    const { sandbox, id } = await opened({ reference: 'order 17', metadata: { a: 'b' } })
    const complete = accepted(await payByHelper(sandbox, { id, token }))
    expect(complete).toMatchObject({
      status: 'complete',
      url: null,
      completed_at: '2026-01-31T12:00:00.000Z',
    })
    expect(await shownPayment(sandbox, complete.payment ?? '')).toMatchObject({
      status,
      amount: 1000,
      currency: 'USD',
      checkout_session: id,
      reference: 'order 17',
      metadata: { a: 'b' },
    })
    const [event, ...more] = await eventsOf(sandbox, id)
    expect([event?.type, more]).toEqual(['checkout_session.completed', []])
    expect(event?.data.object).toEqual(complete)
  })

  it('commits payment.* and checkout_session.completed together', async () => {
    const { sandbox, id } = await opened()
    const seen: string[][] = []
    const note = async () =>
      void seen.push((await readRows(sandbox.store, sandbox.scope)).events.map((e) => e.type))
    const listening = sandbox.another({
      on: { 'payment.succeeded': note, 'checkout_session.completed': note },
    })
    accepted(await payByHelper(listening, { id, token: 'tok_test_visa' }))
    await note()
    expect(seen).toEqual([[], [], ['payment.succeeded', 'checkout_session.completed']])

    const { id: other } = await openCheckout(sandbox)
    const failing = sandbox.another({
      on: {
        'checkout_session.completed': () => {
          throw new Error('the host refuses')
        },
      },
    })
    await expect(payByHelper(failing, { id: other, token: 'tok_test_visa' })).rejects.toThrow('the host')
    await note()
    expect(seen.at(-1)?.slice(2)).toEqual(['payment.processing'])
    expect((await shownCheckout(sandbox, other)).status).toBe('open')
    await advance(sandbox, 60)
    await note()
    expect(seen.at(-1)?.slice(3)).toEqual(['payment.succeeded', 'checkout_session.completed'])
  })

  it('is a conflict to pay again', async () => {
    const { sandbox, id } = await opened()
    accepted(await payCheckout(sandbox, 'tok_test_visa', { id }))
    expect(refusal(await payCheckout(sandbox, 'tok_test_visa', { id }))).toEqual({ code: 'conflict' })
    expect(refusal(await payByHelper(sandbox, { id, token: 'tok_test_visa' }))).toEqual({ code: 'conflict' })
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it.each([
    ['tok_test_chargeback', 'returned'],
    ['btok_test_late_return', 'returned'],
    ['btok_test_account_closed', 'returned'],
    ['btok_test_refused', 'failed'],
  ])('with %s stays complete when its payment is %s days later', async (token, status) => {
    const { sandbox, id } = await opened()
    const { payment } = accepted(await payByHelper(sandbox, { id, token }))
    await advance(sandbox, 4 * 86_400)
    expect((await shownPayment(sandbox, payment ?? '')).status).toBe(status)
    expect(await shownCheckout(sandbox, id)).toMatchObject({ status: 'complete', payment })
    expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.completed'])
  })

  it('takes a payment that can be refunded like any other', async () => {
    const { sandbox, id } = await opened()
    const { payment } = accepted(await payByHelper(sandbox, { id, token: 'tok_test_visa' }))
    accepted(await refund(sandbox, { payment: payment ?? '', amount: 400 }))
    expect(await shownCheckout(sandbox, id)).toMatchObject({ status: 'complete', payment, amount: 1000 })
  })
})

describe('a payment on a page that comes to nothing', () => {
  it.each([
    ['tok_test_declined', 'card_declined', 'generic_decline'],
    ['tok_test_unreachable', 'card_declined', 'processing_error'],
  ])('because of %s leaves the page open and payable', async (token, code, decline_code) => {
    const { sandbox, id } = await opened()
    const refused = (await payCheckout(sandbox, token, { id }))._unsafeUnwrapErr()
    expect(refused).toMatchObject({ code, extra: { decline_code } })
    expect(await shownPayment(sandbox, refused.extra?.payment ?? '')).toMatchObject({
      status: 'failed',
      checkout_session: id,
    })
    expect(await shownCheckout(sandbox, id)).toMatchObject({ status: 'open', payment: null })
    expect(accepted(await payByHelper(sandbox, { id, token: 'tok_test_declined' })).status).toBe('open')
    expect(accepted(await payByHelper(sandbox, { id, token: 'tok_test_visa' })).status).toBe('complete')
    expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.completed'])
  })
})

describe('a payment on a page that is in flight', () => {
  it('keeps the page open, unexpirable, and closed to a second payment', async () => {
    const { sandbox, id } = await opened()
    const answered = accepted(await payByHelper(sandbox, { id, token: 'tok_test_unknown_forever' }))
    expect(answered).toMatchObject({ status: 'open', payment: null })
    expect(refusal(await payCheckout(sandbox, 'tok_test_visa', { id }))).toEqual(inFlight)
    const { engine, caller } = sandbox
    expect(refusal(await engine.checkout_sessions.expire(caller, { id }))).toEqual(inFlight)
  })

  it.each([
    ['tok_test_unknown_approved', 'complete'],
    ['tok_test_unknown_declined', 'open'],
  ])('with %s makes it %s when its outcome is known', async (token, status) => {
    const { sandbox, id } = await opened()
    expect(accepted(await payByHelper(sandbox, { id, token })).status).toBe('open')
    await advance(sandbox, 60)
    expect((await shownCheckout(sandbox, id)).status).toBe(status)
    expect(await eventTypesOf(sandbox, id)).toEqual(status === 'open' ? [] : ['checkout_session.completed'])
  })

  it.each(['btok_test_success', 'btok_test_never_settles'])(
    'and is a debit (%s) that was not answered completes it once it is found accepted',
    async (token) => {
      const { sandbox, id } = await opened()
      expect(accepted(await payCheckout(losingAnswers(sandbox), token, { id })).status).toBe('processing')
      expect((await shownCheckout(sandbox, id)).status).toBe('open')
      await advance(sandbox, 60)
      expect((await shownCheckout(sandbox, id)).status).toBe('complete')
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
    },
  )
})

describe('a debit on a page that came back before anybody heard of it', () => {
  it('was accepted all the same: the page is complete, and takes no second one', async () => {
    const { sandbox, id } = await opened()
    await payByHelper(losingAnswers(sandbox), { id, token: 'btok_test_success' })
    const [charge] = sandbox.processor.ledger.charges()
    sandbox.processor.control.returnCharge(charge?.key ?? '', 'R01', iso(sandbox.clock.now()))
    await sandbox.engine.reconcile()
    const { status, payment } = await shownCheckout(sandbox, id)
    expect(status).toBe('complete')
    expect((await shownPayment(sandbox, payment ?? '')).status).toBe('returned')
    expect(refusal(await payByHelper(sandbox, { id, token: 'btok_test_success' })).code).toBe('conflict')
  })
})

describe('what a page cannot be paid with', () => {
  const page = async (token: string, input: Parameters<typeof openCheckout>[1] = {}) => {
    const { sandbox, id } = await opened(input)
    return { sandbox, id, token }
  }
  const payWith = ({ sandbox, id }: { sandbox: Sandbox; id: string }, payment_method_session: string) =>
    sandbox.engine.checkout_sessions.pay(payerOf(sandbox), { id, payment_method_session })

  it('is a type it does not offer', async () => {
    const cards = await page('btok_test_success', { payment_method_types: ['card'] })
    expect(refusal(await payCheckout(cards.sandbox, cards.token, cards))).toEqual({
      code: 'parameter_invalid',
      param: 'payment_method_session',
    })
  })

  it('is a session that is unknown, unconfirmed, used, or too old', async () => {
    const one = await page('tok_test_visa')
    const { sandbox } = one
    const code = async (session: string) => refusal(await payWith(one, session)).code
    expect(await code('pms_test_none')).toBe('resource_missing')
    expect(await code((await openSession(sandbox, one.token)).id)).toBe('payment_method_session_inactive')
    const used = await confirmedSession(sandbox, one.token)
    const charge = { amount: 1000, currency: 'USD' as const, payment_method_session: used.id }
    accepted(await sandbox.engine.payments.create(sandbox.caller, charge, { idempotency_key: 'used' }))
    expect(await code(used.id)).toBe('payment_method_session_used')
    const old = await confirmedSession(sandbox, one.token)
    sandbox.clock.advance(30 * 60_000 + 1)
    expect(await code(old.id)).toBe('payment_method_session_inactive')
    expect((await shownCheckout(sandbox, one.id)).status).toBe('open')
  })

  it('is a debit of another amount than the one authorized', async () => {
    const one = await page('btok_test_success')
    const { id } = await confirmedSession(one.sandbox, one.token, { amount: 999 })
    expect(refusal(await payWith(one, id))).toEqual({ code: 'parameter_invalid', param: 'amount' })
  })

  it('is a page that is not there, or a caller that is no page', async () => {
    const { sandbox } = await page('tok_test_visa')
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    expect(refusal(await payWith({ sandbox, id: 'cs_test_none' }, id))).toEqual({ code: 'resource_missing' })
    const asServer = sandbox.engine.checkout_sessions.pay(sandbox.caller, {
      id: 'x',
      payment_method_session: id,
    })
    expect(refusal(await asServer)).toEqual({ code: 'insufficient_scope' })
    expect(accepted(await pay(sandbox, 'tok_test_visa')).checkout_session).toBeNull()
  })
})
