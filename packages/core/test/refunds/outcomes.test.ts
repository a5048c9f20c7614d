import { describe, expect, it } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import {
  advance,
  eventsOf,
  eventTypesOf,
  helpersOf,
  refund,
  shownRefund,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { Processor } from '../../src/ports/processor.ts'
import { refusal } from '../operations/refusals.ts'

async function paid(token: string) {
  const sandbox = await openSandbox()
  return { sandbox, payment: accepted(await pay(sandbox, token)).id }
}

/** The same sandbox whose processor treats refunds like this. */
function refunding(sandbox: Sandbox, refund: Processor['refund']): Sandbox {
  return sandbox.another(withProcessor(sandbox, { ...sandbox.processor, refund }))
}

const broken: Processor['refund'] = async () => {
  throw new Error('connection reset')
}

describe('a refund that is confirmed at once', () => {
  it('announces refund.succeeded alone, with the refund as its GET endpoint renders it', async () => {
    const { sandbox, payment } = await paid('tok_test_visa')
    const made = accepted(await refund(sandbox, { payment }))
    const [event, ...more] = await eventsOf(sandbox, made.id)
    expect(more).toEqual([])
    expect(event).toMatchObject({ type: 'refund.succeeded', livemode: false, created_at: made.succeeded_at })
    expect(event?.data.object).toEqual(made)
    expect(made.payment).toBe(payment)
  })
})

describe('a refund that is pending', () => {
  it('succeeds after an hour and not before, each state announced once', async () => {
    const { sandbox, payment } = await paid('tok_test_refund_pending')
    const made = accepted(await refund(sandbox, { payment, amount: 400 }))
    expect(made).toMatchObject({ status: 'pending', succeeded_at: null })
    await advance(sandbox, 3599)
    expect((await shownRefund(sandbox, made.id)).status).toBe('pending')
    await advance(sandbox, 1)
    expect(await shownRefund(sandbox, made.id)).toMatchObject({
      status: 'succeeded',
      succeeded_at: '2026-01-31T13:00:00.000Z',
      failure: null,
    })
    expect(await eventTypesOf(sandbox, made.id)).toEqual(['refund.pending', 'refund.succeeded'])
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(400)
  })

  it('fails after an hour and gives its amount back to the balance', async () => {
    const { sandbox, payment } = await paid('tok_test_refund_fails')
    const made = accepted(await refund(sandbox, { payment, amount: 400 }))
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(400)
    await advance(sandbox, 3600)
    expect(await shownRefund(sandbox, made.id)).toMatchObject({
      status: 'failed',
      failed_at: '2026-01-31T13:00:00.000Z',
      failure: { code: 'refund_rejected', message: expect.any(String) },
    })
    const [pending, failed, ...more] = await eventsOf(sandbox, made.id)
    expect([pending?.type, failed?.type, more]).toEqual(['refund.pending', 'refund.failed', []])
    expect(failed?.data.object).toMatchObject({ failure: { code: 'refund_rejected' } })
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(0)
    expect(accepted(await refund(sandbox, { payment })).amount).toBe(1000)
  })

  it.each([
    ['succeed', 'succeeded'],
    ['fail', 'failed'],
  ] as const)('can be made to %s by a test helper, once', async (step, status) => {
    const { sandbox, payment } = await paid('tok_test_refund_pending')
    const { id } = accepted(await refund(sandbox, { payment }))
    const helper = helpersOf(sandbox.engine).refund[step]
    expect(accepted(await helper(sandbox.caller, { id }))).toMatchObject({ id, status })
    expect(refusal(await helper(sandbox.caller, { id }))).toEqual({ code: 'conflict' })
    expect(refusal(await helper(sandbox.caller, { id: 're_test_none' }))).toEqual({
      code: 'resource_missing',
    })
    expect(await eventTypesOf(sandbox, id)).toEqual(['refund.pending', `refund.${status}`])
  })
})

describe('a refund while another one of its payment is under way', () => {
  it('is refused with refund_in_flight while that one is pending, and made once it is not', async () => {
    const { sandbox, payment } = await paid('tok_test_refund_pending')
    accepted(await refund(sandbox, { payment, amount: 100 }))
    expect(refusal(await refund(sandbox, { payment, amount: 100 }))).toEqual({ code: 'refund_in_flight' })
    await advance(sandbox, 3600)
    expect(accepted(await refund(sandbox, { payment, amount: 100 })).status).toBe('pending')
  })

  it('is refused with refund_in_flight while the request of that one is still at the processor', async () => {
    const { sandbox, payment } = await paid('tok_test_visa')
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const slow = refunding(sandbox, async (request) => {
      asked.resolve()
      await answered.promise
      return sandbox.processor.refund(request)
    })
    const first = refund(slow, { payment, amount: 100 })
    await asked.promise
    expect(refusal(await refund(sandbox, { payment, amount: 100 }))).toEqual({ code: 'refund_in_flight' })
    answered.resolve()
    accepted(await first)
    expect(accepted(await refund(sandbox, { payment, amount: 100 })).status).toBe('succeeded')
    expect(sandbox.processor.ledger.refunds()).toHaveLength(2)
  })

  it('of another payment is made all the same', async () => {
    const { sandbox, payment } = await paid('tok_test_refund_pending')
    accepted(await refund(sandbox, { payment }))
    const other = accepted(await pay(sandbox, 'tok_test_visa')).id
    expect(accepted(await refund(sandbox, { payment: other })).status).toBe('succeeded')
  })
})

describe('a refund the processor refuses', () => {
  it('answers 402 refund_failed, which names the failed refund and says why', async () => {
    const { sandbox, payment } = await paid('tok_test_refund_refused')
    const result = await refund(sandbox, { payment })
    const { code, extra } = result._unsafeUnwrapErr()
    expect({ code, extra }).toEqual({
      code: 'refund_failed',
      extra: { refund: expect.stringMatching(/^re_test_/), failure_code: 'refund_refused' },
    })
    const failed = await shownRefund(sandbox, extra?.refund ?? '')
    expect(failed).toMatchObject({ status: 'failed', payment, failure: { code: 'refund_refused' } })
    expect(await eventTypesOf(sandbox, failed.id)).toEqual(['refund.failed'])
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(0)
  })

  it('or that never left answers so too, and leaves the balance as it was', async () => {
    const { sandbox, payment } = await paid('tok_test_visa')
    const offline = refunding(sandbox, async () => ({ kind: 'unreachable' }))
    const { code, extra } = (await refund(offline, { payment }))._unsafeUnwrapErr()
    expect([code, extra?.failure_code]).toEqual(['refund_failed', 'processor_unreachable'])
    expect(sandbox.processor.ledger.refunds()).toEqual([])
    expect(accepted(await refund(sandbox, { payment })).amount).toBe(1000)
  })
})

describe('a refund that is not answered', () => {
  it.each([
    ['says so', async () => ({ kind: 'unanswered' as const })],
    ['throws', broken],
  ])(
    'because the processor %s is pending, and failed when it is asked after 60 s and never had it',
    async (_, answer) => {
      const { sandbox, payment } = await paid('tok_test_visa')
      const { id, status } = accepted(await refund(refunding(sandbox, answer), { payment }))
      expect(status).toBe('pending')
      await advance(sandbox, 59)
      expect((await shownRefund(sandbox, id)).status).toBe('pending')
      await advance(sandbox, 1)
      expect(await shownRefund(sandbox, id)).toMatchObject({
        status: 'failed',
        failure: { code: 'processor_unreachable' },
      })
      expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(0)
      expect(sandbox.processor.ledger.refunds()).toEqual([])
    },
  )

  it.each([
    ['tok_test_visa', 'succeeded', 60],
    ['tok_test_refund_fails', 'failed', 3600],
    ['tok_test_refund_refused', 'failed', 60],
  ])('with %s is pending, and found %s by the reconciler', async (token, status, seconds) => {
    const { sandbox, payment } = await paid(token)
    const lost = refunding(sandbox, async (request) => {
      await sandbox.processor.refund(request)
      return broken(request)
    })
    const { id } = accepted(await refund(lost, { payment }))
    expect((await shownRefund(sandbox, id)).status).toBe('pending')
    await advance(sandbox, seconds)
    expect((await shownRefund(sandbox, id)).status).toBe(status)
    expect(await eventTypesOf(sandbox, id)).toEqual(['refund.pending', `refund.${status}`])
    expect(sandbox.processor.ledger.refunds()).toHaveLength(1)
  })

  it('is asked about after 60 s, 5 times every 5 min, hourly for a day, then daily', async () => {
    const { sandbox, payment } = await paid('tok_test_visa')
    const asked: number[] = []
    const start_ms = sandbox.clock.now()
    const processor: Processor = {
      ...sandbox.processor,
      refund: broken,
      async lookup(request) {
        asked.push((Date.parse(request.at) - start_ms) / 1000)
        return { kind: 'unknown' }
      },
    }
    const deaf = sandbox.another(withProcessor(sandbox, processor))
    const { id } = accepted(await refund(deaf, { payment }))
    await advance(deaf, 4 * 86_400)
    const every_5_min = [1, 2, 3, 4, 5].map((n) => 60 + n * 300)
    const hourly = Array.from({ length: 24 }, (_, n) => 1560 + (n + 1) * 3600)
    const daily = [1, 2].map((n) => 1560 + 86_400 + n * 86_400)
    expect(asked).toEqual([60, ...every_5_min, ...hourly, ...daily])
    expect((await shownRefund(deaf, id)).status).toBe('pending')
  })
})

describe('a payment that comes back after a refund', () => {
  it('is returned, keeps what was refunded, and every cent left it once', async () => {
    const { sandbox, payment } = await paid('tok_test_chargeback')
    const { id } = accepted(await refund(sandbox, { payment, amount: 300 }))
    await advance(sandbox, 3 * 86_400)
    expect(await shownPayment(sandbox, payment)).toMatchObject({ status: 'returned', amount_refunded: 300 })
    expect((await shownRefund(sandbox, id)).status).toBe('succeeded')
    expect(await eventTypesOf(sandbox, payment)).toEqual(['payment.succeeded', 'payment.returned'])
    expect(sandbox.processor.ledger.totals().USD).toEqual({ captured: 1000, refunded: 300, returned: 700 })
    const { refunds } = await readRows(sandbox.store, sandbox.scope)
    expect(refunds).toHaveLength(1)
  })
})
