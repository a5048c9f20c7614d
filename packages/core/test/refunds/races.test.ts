import { expect } from 'vitest'
import { accepted, pay, send, shownPayment } from '../../../testing/src/builders/requests.ts'
import { advance, eventTypesOf, refund, shownRefund } from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Processor } from '../../src/ports/processor.ts'
import { iso } from '../../src/schema/timestamps.ts'
import { codeOf, describeRace } from './sales-race.ts'

const keyOf = ({ scope }: Sandbox, id: string) => `${scope.workspace}.${id}`

async function paid(sandbox: Sandbox, token = 'tok_test_visa') {
  return accepted(await pay(sandbox, token)).id
}

function refundedAtProcessor({ processor }: Sandbox): number {
  const kept = processor.ledger.refunds().filter(({ state }) => state.kind !== 'refused')
  return kept.reduce((sum, { amount }) => sum + amount, 0)
}

/** A processor that made the refund and holds its answer until it is let go. */
function holding(processor: Processor) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const slow: Processor = {
    ...processor,
    async refund(request) {
      const answer = await processor.refund(request)
      held.resolve()
      await released.promise
      return answer
    },
  }
  return { processor: slow, held: held.promise, release: () => released.resolve() }
}

describeRace(
  'R9 two partial refunds whose sum exceeds: one is made',
  ['ok,refund_in_flight', 'ok,refund_amount_exceeds_balance'],
  async ({ sandbox, first, second, late }) => {
    const payment = await paid(sandbox)
    const codes = await Promise.all(
      [first, second].map(async (process) => {
        await late()
        return codeOf(await refund(process, { payment, amount: 600 }))
      }),
    )
    expect(codes).toContain('ok')
    expect(refundedAtProcessor(sandbox)).toBe(600)
    return codes.sort().join()
  },
)

describeRace(
  'R9 two refunds without an amount: all of it is given back once',
  ['ok,refund_in_flight'],
  async ({ sandbox, first, second, late }) => {
    const payment = await paid(sandbox, 'tok_test_refund_pending')
    const codes = await Promise.all(
      [first, second].map(async (process) => {
        await late()
        return codeOf(await refund(process, { payment }))
      }),
    )
    expect(refundedAtProcessor(sandbox)).toBe(1000)
    return codes.sort().join()
  },
)

describeRace(
  'R10 a refund and a chargeback: every cent leaves once',
  ['ok', 'payment_not_refundable', 'refund_failed'],
  async ({ sandbox, first, second, random, late }) => {
    const payment = await paid(sandbox, random.pick(['tok_test_visa', 'tok_test_refund_pending']))
    const charging_back = async () => {
      await late()
      sandbox.processor.control.chargeback(keyOf(sandbox, payment), iso(sandbox.clock.now()))
      await second.engine.reconcile()
    }
    const [asked] = await Promise.all([
      late().then(() => refund(first, { payment, amount: 300 })),
      charging_back(),
    ])
    await sandbox.engine.reconcile()
    expect((await shownPayment(sandbox, payment)).status).toBe('returned')
    await advance(sandbox, 3600)
    const { captured = 0, refunded = 0, returned = 0 } = sandbox.processor.ledger.totals().USD ?? {}
    expect([captured, refunded + returned]).toEqual([1000, 1000])
    return codeOf(asked)
  },
)

describeRace(
  'R11 a refund, a void in the dashboard and the batch: never both canceled and refunded',
  ['ok payment_not_refundable', 'conflict payment_not_refundable', 'conflict ok'],
  async ({ sandbox, first, second, random, late }) => {
    const payment = await paid(sandbox, 'btok_test_success')
    sandbox.clock.advance(60_000 - random.below(2))
    const [voided, refunded] = await Promise.all([
      late().then(() => first.engine.admin.payments.void(sandbox.scope, { id: payment })),
      late().then(() => refund(second, { payment })),
      second.engine.reconcile(),
    ])
    sandbox.clock.advance(1)
    await sandbox.engine.reconcile()
    const shown = await shownPayment(sandbox, payment)
    expect(shown.status).toBe(voided.isOk() ? 'canceled' : 'succeeded')
    expect(shown.amount_refunded).toBe(refunded.isOk() ? 1000 : 0)
    return `${codeOf(voided)} ${codeOf(refunded)}`
  },
)

describeRace(
  'R12 a refund failing while another is asked for: refused, or made of the whole balance',
  ['ok', 'refund_in_flight'],
  async ({ sandbox, first, second, late }) => {
    const payment = await paid(sandbox, 'tok_test_refund_pending')
    const { id } = accepted(await refund(sandbox, { payment, amount: 600 }))
    const failing = async () => {
      await late()
      sandbox.processor.control.failRefund(keyOf(sandbox, id), iso(sandbox.clock.now()))
      await second.engine.reconcile()
    }
    const [asked] = await Promise.all([late().then(() => refund(first, { payment })), failing()])
    expect((await shownRefund(sandbox, id)).status).toBe('failed')
    const made = asked.isOk() ? asked.value.amount : 0
    expect(made).toBe(asked.isOk() ? 1000 : 0)
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(made)
    expect(await eventTypesOf(sandbox, id)).toEqual(['refund.pending', 'refund.failed'])
    return codeOf(asked)
  },
)

describeRace(
  "R17 the processor's callback before our own answer: each state is announced once, in order",
  ['pending', 'succeeded'],
  async ({ sandbox, second, over, late }) => {
    const payment = await paid(sandbox, 'tok_test_refund_pending')
    const gate = holding(sandbox.processor)
    const refunding = refund(over(gate.processor), { payment, amount: 300 })
    await gate.held
    const [made] = sandbox.processor.ledger.refunds()
    sandbox.processor.control.succeedRefund(made?.key ?? '', iso(sandbox.clock.now()))
    const hearing = second.engine.reconcile()
    await late()
    gate.release()
    const [answered] = await Promise.all([refunding, hearing])
    const { id, status } = accepted(answered)
    await sandbox.engine.reconcile()
    const types = await eventTypesOf(sandbox, id)
    // The create announces what it answers, and a state that nobody observed is not announced.
    expect(types.at(0)).toBe(`refund.${status}`)
    expect(types).toEqual(
      status === 'pending' ? ['refund.pending', 'refund.succeeded'] : ['refund.succeeded'],
    )
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(300)
    return status
  },
)

describeRace(
  'R13 the reconciler and the request that is refunding: one outcome, announced once',
  ['answered', 'healed'],
  async ({ sandbox, second, over, late }) => {
    const payment = await paid(sandbox)
    const gate = holding(sandbox.processor)
    const create = (process: Sandbox) =>
      send(process, 'refunds.create', { input: { payment, amount: 300 }, key: 'k' })
    const refunding = create(over(gate.processor))
    await gate.held
    sandbox.clock.jump(60_000)
    const healing = second.engine.reconcile()
    await late()
    gate.release()
    const [answer] = await Promise.all([refunding, healing])
    expect(answer.status).toBe(200)
    expect(await eventTypesOf(sandbox, JSON.parse(answer.body).id)).toEqual(['refund.succeeded'])
    expect(await create(sandbox)).toMatchObject({ body: answer.body, replayed: true })
    return answer.replayed ? 'healed' : 'answered'
  },
)

describeRace(
  'R1 one key in two processes at once: one refund',
  ['ok,ok,ok', 'idempotency_key_in_flight,ok,ok', 'idempotency_key_in_flight,idempotency_key_in_flight,ok'],
  async ({ sandbox, first, second, late }) => {
    const payment = await paid(sandbox)
    const create = (process: Sandbox) =>
      send(process, 'refunds.create', { input: { payment, amount: 300 }, key: 'k' })
    const answers = await Promise.all(
      [first, second, first].map((process) => late().then(() => create(process))),
    )
    const done = answers.filter(({ status }) => status === 200)
    expect(new Set(done.map(({ body }) => body)).size).toBe(1)
    expect(refundedAtProcessor(sandbox)).toBe(300)
    return answers
      .map(({ code }) => code ?? 'ok')
      .sort()
      .join()
  },
)
