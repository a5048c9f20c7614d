import { describe, expect, it } from 'vitest'
import { simulatedProcessor } from '../../../processor-simulator/src/simulated-processor.ts'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { advance, eventsOf, eventTypesOf } from '../../../testing/src/builders/sales.ts'
import { openSandbox, sandboxIn, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Processor } from '../../src/ports/processor.ts'
import { iso } from '../../src/schema/timestamps.ts'
import { refusal } from './refusals.ts'

describe('a payment whose charge was not answered', () => {
  it.each([
    ['tok_test_unknown_approved', 'succeeded', 'payment.succeeded'],
    ['tok_test_unknown_declined', 'failed', 'payment.failed'],
  ])('with %s is processing, and %s when the processor is asked after 60 s', async (token, status, event) => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, token))
    await advance(sandbox, 59)
    expect((await shownPayment(sandbox, id)).status).toBe('processing')
    await advance(sandbox, 1)
    expect((await shownPayment(sandbox, id)).status).toBe(status)
    expect(await eventTypesOf(sandbox, id)).toEqual(['payment.processing', event])
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it('is asked about after 60 s, 5 times every 5 min, hourly for a day, then daily', async () => {
    const sandbox = await openSandbox()
    const asked: number[] = []
    const start_ms = sandbox.clock.now()
    const lookup: Processor['lookup'] = (request) => {
      asked.push((Date.parse(request.at) - start_ms) / 1000)
      return sandbox.processor.lookup(request)
    }
    const watched = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, lookup }))
    const { id } = accepted(await pay(watched, 'tok_test_unknown_forever'))
    await advance(watched, 5 * 86_400)
    const every_5_min = [1, 2, 3, 4, 5].map((n) => 60 + n * 300)
    const hourly = Array.from({ length: 24 }, (_, n) => 1560 + (n + 1) * 3600)
    const daily = [1, 2, 3].map((n) => 1560 + 86_400 + n * 86_400)
    expect(asked).toEqual([60, ...every_5_min, ...hourly, ...daily])
    expect((await shownPayment(watched, id)).status).toBe('processing')
    expect(await eventTypesOf(watched, id)).toEqual(['payment.processing'])
  })

  it('is asked about in its time, also where real time brings it in while another is', async () => {
    const sandbox = await openSandbox()
    const asked = new Map<string, number[]>()
    const lookup: Processor['lookup'] = (request) => {
      asked.set(request.key, [...(asked.get(request.key) ?? []), Date.parse(request.at)])
      return sandbox.processor.lookup(request)
    }
    const watched = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, lookup }))
    watched.engine.addWorker({ drain: async () => sandbox.clock.advance(20) })
    const start_ms = sandbox.clock.now()
    for (let paid = 0; paid < 3; paid += 1) {
      accepted(await pay(watched, 'tok_test_unknown_forever'))
      sandbox.clock.advance(5)
    }
    await advance(watched, 3_600)
    const minutes = [...asked.values()].map((at) => at.map((ms) => Math.floor((ms - start_ms) / 60_000)))
    expect(minutes).toEqual([1, 2, 3].map(() => [1, 6, 11, 16, 21, 26]))
  })

  it('keeps no other waiting while the processor hangs: ten are asked about at a time', async () => {
    const sandbox = await openSandbox()
    for (let paid = 0; paid < 12; paid += 1) accepted(await pay(sandbox, 'tok_test_unknown_approved'))
    let asked = 0
    const answering = Promise.withResolvers<void>()
    const lookup: Processor['lookup'] = async (request) => {
      asked += 1
      await answering.promise
      return sandbox.processor.lookup(request)
    }
    const slow = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, lookup }))
    sandbox.clock.advance(60_000)
    const reconciled = slow.engine.reconcile()
    await expect.poll(() => asked).toBe(10)
    answering.resolve()
    await reconciled
    expect(asked).toBe(12)
  })

  it('keeps others waiting once while the processor hangs, and not for each ten: the rest is asked about in the next pass', async () => {
    const sandbox = await openSandbox()
    const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
    for (let paid = 0; paid < 12; paid += 1) accepted(await pay(sandbox, 'tok_test_unknown_approved'))
    const { id } = accepted(await pay(live, 'tok_test_unknown_approved'))
    let asked = 0
    const lookup: Processor['lookup'] = () => {
      asked += 1
      return new Promise(() => {})
    }
    const hanging = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, lookup }))
    sandbox.clock.advance(60_000)
    const reconciled = hanging.engine.reconcile()
    await expect.poll(() => asked).toBe(10)
    sandbox.clock.advance(20_000)
    await reconciled
    expect(asked).toBe(10)
    expect((await shownPayment(live, id)).status).toBe('succeeded')
    const next = hanging.engine.reconcile()
    await expect.poll(() => asked).toBe(12)
    sandbox.clock.advance(20_000)
    await next
  })

  it('fails for good where the processor never had it, with the evidence recorded', async () => {
    const sandbox = await openSandbox()
    const charge: Processor['charge'] = async () => ({ kind: 'unanswered' })
    const deaf = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge }))
    const { id } = accepted(await pay(deaf, 'tok_test_visa'))
    await advance(sandbox, 60)
    expect(await shownPayment(sandbox, id)).toMatchObject({
      status: 'failed',
      failure: { code: 'processor_unreachable' },
    })
    const row = await sandbox.store.read(sandbox.scope, (rows) => rows.payments.get(id))
    expect(row?.evidence).toBe('not_found')
    expect(sandbox.processor.ledger.charges()).toEqual([])
  })

  it('is processing, never failed, when the call throws or takes 20 seconds', async () => {
    const sandbox = await openSandbox()
    const broken: Processor['charge'] = async () => {
      throw new Error('connection reset')
    }
    const throwing = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge: broken }))
    expect(accepted(await pay(throwing, 'tok_test_visa')).status).toBe('processing')

    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const silent: Processor['charge'] = () => {
      reach()
      return new Promise(() => {})
    }
    const waiting = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge: silent }))
    const paid = pay(waiting, 'tok_test_visa')
    await reached
    sandbox.clock.advance(20_000)
    expect(accepted(await paid).status).toBe('processing')
  })
})

describe('a payment that settles', () => {
  it.each([
    ['btok_test_success', 60, ['payment.processing', 'payment.succeeded'], null],
    ['btok_test_refused', 60, ['payment.processing', 'payment.failed'], null],
    ['btok_test_account_closed', 60, ['payment.processing', 'payment.returned'], 'R02'],
    ['btok_test_insufficient_funds', 60, ['payment.processing', 'payment.returned'], 'R01'],
    [
      'btok_test_late_return',
      3 * 86_400,
      ['payment.processing', 'payment.succeeded', 'payment.returned'],
      'R01',
    ],
    ['btok_test_never_settles', 30 * 86_400, ['payment.processing'], null],
    ['tok_test_chargeback', 3 * 86_400, ['payment.succeeded', 'payment.returned'], 'chargeback'],
  ])('with %s announces within %i s: %o', async (token, seconds, types, return_code) => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, token))
    await advance(sandbox, seconds)
    expect(await eventTypesOf(sandbox, id)).toEqual(types)
    const payment = await shownPayment(sandbox, id)
    expect(types.at(-1)).toBe(`payment.${payment.status}`)
    expect(payment.failure?.return_code ?? null).toBe(return_code)
  })

  it('starts in processing where it is a debit, also where the processor approves it at once', async () => {
    const sandbox = await openSandbox()
    const charge: Processor['charge'] = async () => ({ kind: 'approved' })
    const lookup: Processor['lookup'] = async () => ({ kind: 'charge', state: { kind: 'approved' } })
    const approving = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge, lookup }))
    const { id, status } = accepted(await pay(approving, 'btok_test_success'))
    expect(status).toBe('processing')
    expect(await eventTypesOf(approving, id)).toEqual(['payment.processing'])
    await advance(approving, 60)
    expect(await eventTypesOf(approving, id)).toEqual(['payment.processing', 'payment.succeeded'])
  })

  it('is announced with the time at which it reached the state, as its GET endpoint renders it', async () => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, 'btok_test_success'))
    await advance(sandbox, 100)
    const [processing, succeeded] = await eventsOf(sandbox, id)
    expect(processing?.created_at).toBe('2026-01-31T12:00:00.000Z')
    expect(succeeded?.created_at).toBe('2026-01-31T12:01:00.000Z')
    expect(succeeded?.data.object).toEqual(await shownPayment(sandbox, id))
    expect(processing?.data.object.status).toBe('processing')
  })
})

describe('what a processor tells', () => {
  it('moves nothing of the other environment', async () => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, 'btok_test_never_settles'))
    const told = {
      notifications: [
        { id: 'n', of: 'charge', key: `${sandbox.scope.workspace}.${id}`, state: { kind: 'settled' } },
      ],
      cursor: 'n',
    } as const
    const telling: Processor = {
      ...sandbox.processor,
      notifications: async ({ after }) =>
        after === null
          ? { ...told, notifications: [...told.notifications] }
          : { notifications: [], cursor: after },
    }
    const live = sandbox.another({ processors: { sandbox: sandbox.processor, live: telling } })
    await live.engine.reconcile()
    expect((await shownPayment(sandbox, id)).status).toBe('processing')
    await sandbox.another(withProcessor(sandbox, telling)).engine.reconcile()
    expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
  })
})

describe('a void in the dashboard', () => {
  it('cancels a debit before the batch cut-off, and answers conflict from the cut-off on', async () => {
    const sandbox = await openSandbox()
    const { engine, scope, clock } = sandbox
    const early = accepted(await pay(sandbox, 'btok_test_success'))
    const late = accepted(await pay(sandbox, 'btok_test_success'))
    clock.advance(59_999)
    const canceled = accepted(await engine.admin.payments.void(scope, { id: early.id }))
    expect(canceled).toMatchObject({ status: 'canceled', canceled_at: iso(clock.now()), failure: null })
    clock.advance(1)
    expect(refusal(await engine.admin.payments.void(scope, { id: late.id }))).toEqual({ code: 'conflict' })
    await engine.reconcile()
    expect(await eventTypesOf(sandbox, early.id)).toEqual(['payment.processing', 'payment.canceled'])
    expect(await eventTypesOf(sandbox, late.id)).toEqual(['payment.processing', 'payment.succeeded'])
  })

  it('answers the canceled payment also where the reconciler hears of the void first', async () => {
    // The void was answered with conflict, though it had worked.
    const slow = simulatedProcessor({ settlement: { delayMs: 3_600_000 } })
    const sandbox = await openSandbox({ processor: slow })
    const { id } = accepted(await pay(sandbox, 'btok_test_success'))
    sandbox.clock.advance(60_000)
    const overtaken: Processor['void'] = async (request) => {
      const answer = await slow.void(request)
      await sandbox.engine.reconcile()
      return answer
    }
    const { engine } = sandbox.another(withProcessor(sandbox, { ...slow, void: overtaken }))
    expect(accepted(await engine.admin.payments.void(sandbox.scope, { id })).status).toBe('canceled')
    expect(await eventTypesOf(sandbox, id)).toEqual(['payment.processing', 'payment.canceled'])
  })

  it('asks no processor to void a card of which nobody knows what became of it', async () => {
    // Where the processor voided it just after it had said that it was approved, the payment stayed succeeded.
    const simulated = simulatedProcessor()
    const sandbox = await openSandbox({ processor: simulated })
    const { id } = accepted(await pay(sandbox, 'tok_test_unknown_approved'))
    const asked: string[] = []
    const voiding: Processor['void'] = async ({ key }) => {
      asked.push(key)
      return 'voided'
    }
    const { engine } = sandbox.another(withProcessor(sandbox, { ...simulated, void: voiding }))
    expect(refusal(await engine.admin.payments.void(sandbox.scope, { id }))).toEqual({ code: 'conflict' })
    expect(asked).toEqual([])
  })

  it('answers conflict for a payment that is not processing and resource_missing for none', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const { id } = accepted(await pay(sandbox, 'tok_test_visa'))
    expect(refusal(await engine.admin.payments.void(scope, { id }))).toEqual({ code: 'conflict' })
    expect(refusal(await engine.admin.payments.void(scope, { id: 'pay_test_none' }))).toEqual({
      code: 'resource_missing',
    })
  })
})
