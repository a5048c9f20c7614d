import { iso } from '@quittance/core'
import fc from 'fast-check'
import { pay } from '../../../testing/src/builders/requests.ts'
import {
  helpersOf,
  openCheckout,
  payCheckout,
  payInvoice,
  payInvoiceOnPage,
  refund,
  sentInvoice,
} from '../../../testing/src/builders/sales.ts'
import { type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Rows } from '../../../testing/src/invariants/rows.ts'
import type { DomainError } from '../../src/errors/domain-error.ts'
import { amountDue, discountToday } from '../../src/invoices/invoice-machine.ts'
import type { Result } from '../../src/kernel/result.ts'
import type { Processor } from '../../src/ports/processor.ts'

type Answered = Result<unknown, DomainError> | null

/** One step of a history. `expected` are the codes it may answer, by the rows before it: the model. */
export interface Command {
  run(world: World): Promise<Answered>
  expected?(world: World): readonly string[]
  toString(): string
}

/** What the steps act on: the rows as they are, and a process whose calls to the processor can break. */
export interface World {
  sandbox: Sandbox
  rows: Rows
}

const tokens = [
  'tok_test_visa',
  'tok_test_declined',
  'tok_test_unreachable',
  'tok_test_unknown_approved',
  'tok_test_unknown_declined',
  'tok_test_unknown_forever',
  'tok_test_chargeback',
  'tok_test_refund_pending',
  'tok_test_refund_fails',
  'tok_test_refund_refused',
  'btok_test_success',
  'btok_test_account_closed',
  'btok_test_late_return',
  'btok_test_refused',
  'btok_test_never_settles',
] as const

const seconds = [1, 59, 60, 61, 300, 1799, 1800, 3600, 86_400, 2 * 86_400, 3 * 86_400]
const refundable = ['tok_test_visa', 'tok_test_refund_pending', 'tok_test_refund_fails'] as const
const token = fc.oneof(fc.constantFrom(...tokens), fc.constantFrom(...refundable))
const nth = fc.nat(4)
const part = fc.constantFrom(1, 250, 250, 600, 1000, 1001)
const link = fc.constantFrom('answered', 'answered', 'answered', 'lost', 'cut')

/** The n-th newest of them. */
function pick<Row extends { id: string }>(rows: readonly Row[], n: number): Row | undefined {
  return rows.at(-1 - (n % Math.max(1, rows.length)))
}

/** `lost`: charged or refunded and not answered; `cut`: broken before it was sent. */
function over({ sandbox }: World, link: string): Sandbox {
  if (link === 'answered') return sandbox
  const { processor } = sandbox
  const breaking =
    <Request, Answer>(call: (request: Request) => PromiseLike<Answer>) =>
    async (request: Request): Promise<Answer> => {
      if (link === 'lost') await call(request)
      throw new Error('connection reset')
    }
  const charge: Processor['charge'] = breaking(processor.charge)
  const refund: Processor['refund'] = breaking(processor.refund)
  return sandbox.another(withProcessor(sandbox, { ...processor, charge, refund }))
}

const steps = fc.constantFrom('settle', 'fail', 'return', 'chargeback', 'void')
const refund_steps = fc.constantFrom('succeed', 'fail')

const selling: fc.Arbitrary<Command>[] = [
  fc.tuple(token, link).map(([token, link]) => ({
    run: (world) => pay(over(world, link), token),
    toString: () => `pay ${token} ${link}`,
  })),
  fc.constantFrom(1800, 3600).map((expires_in) => ({
    async run({ sandbox }) {
      await openCheckout(sandbox, { expires_in })
      return null
    },
    toString: () => `open a page for ${expires_in} s`,
  })),
  fc.tuple(nth, token, link).map(([n, token, link]) => ({
    async run(world) {
      const page = pick(world.rows.checkout_sessions, n)
      return page ? payCheckout(over(world, link), token, page) : null
    },
    toString: () => `pay page ${n} with ${token} ${link}`,
  })),
  fc.tuple(nth, token, part, link).map(([n, token, amount, link]) => ({
    async run(world) {
      const invoice = pick(world.rows.invoices, n)?.id
      return invoice ? payInvoice(over(world, link), token, { invoice, amount }) : null
    },
    expected({ rows }) {
      const invoice = pick(rows.invoices, n)
      return invoice && amount > amountDue(invoice) ? ['parameter_invalid'] : ['ok', 'card_declined']
    },
    toString: () => `pay ${amount} on invoice ${n} with ${token} ${link}`,
  })),
  fc.tuple(nth, token, link).map(([n, token, link]) => ({
    async run(world) {
      const invoice = pick(world.rows.invoices, n)
      const { clock } = world.sandbox.engine
      const amount = invoice ? amountDue(invoice) - discountToday(invoice, iso(clock.now())) : 0
      return invoice && amount > 0
        ? payInvoiceOnPage(over(world, link), token, { invoice: invoice.id, amount })
        : null
    },
    toString: () => `pay invoice ${n} on its page with ${token} ${link}`,
  })),
]

const refunding: fc.Arbitrary<Command>[] = [
  fc.tuple(nth, fc.option(part, { nil: undefined }), link).map(([n, amount, link]) => ({
    async run(world) {
      const payment = pick(world.rows.payments, n)?.id
      return payment ? refund(over(world, link), { payment, ...(amount ? { amount } : {}) }) : null
    },
    expected: ({ rows }) => refundModel(rows, pick(rows.payments, n)?.id, amount),
    toString: () => `refund ${amount ?? 'all'} of payment ${n} ${link}`,
  })),
  fc.tuple(nth, refund_steps).map(([n, step]) => ({
    async run({ sandbox: { engine, caller }, rows }) {
      const id = pick(rows.refunds, n)?.id
      return id ? helpersOf(engine).refund[step](caller, { id }) : null
    },
    toString: () => `${step} refund ${n}`,
  })),
]

const dashboard: fc.Arbitrary<Command>[] = [
  fc.tuple(fc.constantFrom(1000, 600), fc.constantFrom(null, 0, 3)).map(([total, days]) => ({
    async run({ sandbox }) {
      const until = iso(sandbox.engine.clock.now() + (days ?? 0) * 86_400_000).slice(0, 10)
      const discount = days === null ? {} : { early_payment_discount: { amount: 50, until } }
      await sentInvoice(sandbox, { total, link_days: 2, ...discount })
      return null
    },
    toString: () => `send an invoice of ${total}, 50 less within ${days} days`,
  })),
  fc.tuple(nth, fc.constantFrom('send', 'revokeLinks', 'cancel', 'writeOff')).map(([n, verb]) => ({
    async run({ sandbox: { engine, scope }, rows }) {
      const id = pick(rows.invoices, n)?.id
      return id ? await engine.admin.invoices[verb](scope, { id }) : null
    },
    toString: () => `${verb} invoice ${n}`,
  })),
  fc.tuple(nth, fc.constantFrom(1, 250)).map(([n, amount]) => ({
    async run({ sandbox: { engine, scope }, rows }) {
      const id = pick(rows.invoices, n)?.id
      return id ? await engine.admin.invoices.writeOff(scope, { id, amount }) : null
    },
    toString: () => `write ${amount} off invoice ${n}`,
  })),
  nth.map((n) => ({
    async run({ sandbox: { engine, caller }, rows }) {
      const id = pick(rows.checkout_sessions, n)?.id
      return id ? await engine.checkout_sessions.expire(caller, { id }) : null
    },
    expected({ rows }) {
      const page = pick(rows.checkout_sessions, n)
      if (page?.status === 'complete') return ['conflict']
      return page?.paying ? ['checkout_session_payment_in_flight'] : ['ok']
    },
    toString: () => `expire page ${n}`,
  })),
]

const passing: fc.Arbitrary<Command>[] = [
  fc.tuple(fc.constantFrom(...seconds), fc.boolean()).map(([seconds, reconciled]) => ({
    async run({ sandbox: { clock, engine } }) {
      clock.advance(seconds * 1000)
      if (reconciled) await engine.reconcile()
      return null
    },
    toString: () => `${seconds} s pass${reconciled ? ', reconciled' : ''}`,
  })),
  fc.tuple(nth, steps).map(([n, step]) => ({
    async run({ sandbox: { engine, caller }, rows }) {
      const id = pick(rows.payments, n)?.id
      return id ? helpersOf(engine).payment[step](caller, { id }) : null
    },
    toString: () => `${step} payment ${n}`,
  })),
]

/** Any step: sales and refunds more often than the rest. */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(...selling) },
  { weight: 3, arbitrary: fc.oneof(...refunding) },
  { weight: 2, arbitrary: fc.oneof(...dashboard) },
  { weight: 3, arbitrary: fc.oneof(...passing) },
)

/** What a refund of a payment may answer, by the specification. */
function refundModel(rows: Rows, id: string | undefined, amount: number | undefined): readonly string[] {
  const payment = rows.payments.find((one) => one.id === id)
  if (!payment) return ['ok']
  if (payment.source !== 'api') return ['resource_missing']
  if (payment.status !== 'succeeded') return ['payment_not_refundable']
  const refunds = rows.refunds.filter((one) => one.payment === id)
  if (refunds.some(({ status }) => status === 'pending')) return ['refund_in_flight']
  const given = refunds.reduce((sum, one) => sum + (one.status === 'succeeded' ? one.amount : 0), 0)
  const left = payment.amount - given
  return left === 0 || (amount ?? left) > left ? ['refund_amount_exceeds_balance'] : ['ok', 'refund_failed']
}
