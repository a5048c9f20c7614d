import { expect } from 'vitest'
import { accepted, pay, send, shownPayment } from '../../../testing/src/builders/requests.ts'
import { advance, eventTypesOf, refund, shownRefund } from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { iso } from '../../src/schema/timestamps.ts'
import type { Race } from './race.ts'
import { codeOf, processorKeyOf } from './races-outcome.ts'

async function paid(sandbox: Sandbox, token = 'tok_test_visa') {
  return accepted(await pay(sandbox, token)).id
}

function refundedAtProcessor({ processor }: Sandbox): number {
  const kept = processor.ledger.refunds().filter(({ state }) => state.kind !== 'refused')
  return kept.reduce((sum, { amount }) => sum + amount, 0)
}

export const races_of_refunds: Race[] = [
  {
    id: 'R1',
    sentence: 'one key of a refund in two processes at once: one refund',
    ends: [
      'ok,ok,ok',
      'idempotency_key_in_flight,ok,ok',
      'idempotency_key_in_flight,idempotency_key_in_flight,ok',
    ],
    async round({ sandbox, first, second, late }) {
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
  },
  {
    id: 'R9',
    sentence: 'two partial refunds whose sum exceeds: one is made',
    ends: ['ok,refund_in_flight', 'ok,refund_amount_exceeds_balance'],
    async round({ sandbox, first, second, late }) {
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
  },
  {
    id: 'R9',
    sentence: 'two refunds without an amount: all of it is given back once',
    ends: ['ok,refund_in_flight', 'refund_in_flight,ok'],
    async round({ sandbox, first, second, late }) {
      const payment = await paid(sandbox, 'tok_test_refund_pending')
      const codes = await Promise.all(
        [first, second].map(async (process) => {
          await late()
          return codeOf(await refund(process, { payment }))
        }),
      )
      expect(refundedAtProcessor(sandbox)).toBe(1000)
      return codes.join()
    },
  },
  {
    id: 'R10',
    sentence: 'a refund and a chargeback: every cent leaves once',
    ends: ['ok', 'payment_not_refundable', 'refund_failed'],
    async round({ sandbox, first, second, random, late }) {
      const payment = await paid(sandbox, random.pick(['tok_test_visa', 'tok_test_refund_pending']))
      const charging_back = async () => {
        await late()
        const { clock, processor } = sandbox
        processor.control.chargeback(processorKeyOf(sandbox, payment), iso(clock.now()))
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
  },
  {
    id: 'R11',
    sentence: 'a refund, a void in the dashboard and the batch: never both canceled and refunded',
    ends: ['ok payment_not_refundable', 'conflict payment_not_refundable', 'conflict ok'],
    async round({ sandbox, first, second, random, late }) {
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
  },
  {
    id: 'R12',
    sentence: 'a refund failing while another is asked for: refused, or made of the whole balance',
    ends: ['ok', 'refund_in_flight'],
    async round({ sandbox, first, second, late }) {
      const payment = await paid(sandbox, 'tok_test_refund_pending')
      const { id } = accepted(await refund(sandbox, { payment, amount: 600 }))
      const failing = async () => {
        await late()
        const { clock, processor } = sandbox
        processor.control.failRefund(processorKeyOf(sandbox, id), iso(clock.now()))
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
  },
]
