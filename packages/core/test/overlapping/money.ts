import { confirmation, confirmedSession } from '../../../testing/src/builders/requests.ts'
import { helpersOf } from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { paymentSteps, refundSteps } from '../../src/engine/sandbox/helper-names.ts'
import { ok } from '../../src/kernel/result.ts'
import { asked, called, type Draw } from './world.ts'

const whole = { amount: 1000, currency: 'usd' }

const charge_session: Draw = async (world) =>
  asked(
    'payments.create',
    { ...whole, payment_method_session: await world.one('session') },
    { key: world.key() },
  )

const charge_method: Draw = async (world) => {
  const payment_method = await world.one(world.random.pick(['one_time', 'saved']))
  return asked('payments.create', { ...whole, payment_method }, { key: world.key() })
}

/** With a session of its own, so that they meet on the invoice alone, or with a method that others charge as well. */
const charge_for_invoice: Draw = async (world) => {
  const { random, sandbox } = world
  const amount = random.pick([400, 700, 1000])
  const invoice = await world.one('invoice')
  const saved = random.below(2) === 0
  const by = saved
    ? { payment_method: await world.one('saved') }
    : { payment_method_session: (await confirmedSession(sandbox, world.token(), { amount })).id }
  return asked('payments.create', { amount, currency: 'USD', ...by, invoice }, { key: world.key() })
}

const refund: Draw = async (world) => {
  const amount = world.random.pick([null, 400, 700])
  const input = { payment: await world.one('payment'), ...(amount === null ? {} : { amount }) }
  return asked('refunds.create', input, { key: world.key() })
}

const refund_in_dashboard: Draw = async (world) => {
  const payment = await world.one('payment')
  return called(`admin.refunds.create ${payment}`, async ({ engine, scope }) =>
    engine.admin.refunds.create(scope, { payment }),
  )
}

const void_in_dashboard: Draw = async (world) => {
  const id = await world.one('payment')
  return called(`admin.payments.void ${id}`, async ({ engine, scope }) =>
    engine.admin.payments.void(scope, { id }),
  )
}

export const detach: Draw = async (world) =>
  asked(
    'payment_methods.detach',
    { id: await world.one(world.random.pick(['one_time', 'saved'])) },
    { key: world.keyed() },
  )

export const make_method: Draw = async (world) =>
  asked(
    'payment_methods.create',
    { payment_method_session: await world.one('session') },
    { key: world.keyed() },
  )

const use_open_session: Draw = async (world) => {
  const id = await world.one('open_session')
  const way = world.random.below(3)
  if (way === 0) return asked('payment_method_sessions.cancel', { id }, { key: world.keyed() })
  if (way === 1)
    return asked('payments.create', { ...whole, payment_method_session: id }, { key: world.key() })
  return asked('payment_method_sessions.confirm', confirmation(id, 'tok_test_visa'), { key: world.keyed() })
}

/** The sandbox's processor moves a payment, and tells of it. */
const news_of_payment: Draw = async (world) => {
  const step = world.random.pick(paymentSteps)
  const id = await world.one('payment')
  return called(`processor: ${step} ${id}`, async ({ engine, caller }) =>
    helpersOf(engine).payment[step](caller, { id }),
  )
}

const news_of_refund: Draw = async (world) => {
  const step = world.random.pick(refundSteps)
  const id = await world.one('refund')
  return called(`processor: ${step} ${id}`, async ({ engine, caller }) =>
    helpersOf(engine).refund[step](caller, { id }),
  )
}

export const reconcile: Draw = async () =>
  called('reconcile', async ({ engine }) => ok(await engine.reconcile()))

/** A batch, the lease of a key, the time of a session or a page, a refund's hour. Six of them are less than the 72 hours of a key. */
const waits_ms = [30_000, 60_000, 1_800_000, 3_600_000, 21_600_000]

/** What was made until now comes to its last moment; while the others run that is over, and is reconciled. */
export const pass_time: Draw = async ({ sandbox, random }) => {
  const wait_ms = random.pick(waits_ms)
  const now_ms = random.below(3) === 0 ? 0 : wait_ms - 1
  sandbox.clock.advance(now_ms)
  const jump_ms = wait_ms - now_ms
  const about = `time jumps ${jump_ms} ms after ${now_ms} ms`
  const jump = async ({ clock, engine }: Sandbox) => {
    clock.jump(jump_ms)
    return ok(await engine.reconcile())
  }
  return called(about, jump, { sets_clock: true })
}

export const of_money: readonly Draw[] = [
  charge_session,
  charge_session,
  charge_method,
  charge_method,
  charge_for_invoice,
  refund,
  refund,
  refund_in_dashboard,
  void_in_dashboard,
  detach,
  make_method,
  use_open_session,
  news_of_payment,
  news_of_payment,
  news_of_refund,
]

export const of_invoice_money: readonly Draw[] = [
  charge_for_invoice,
  charge_for_invoice,
  refund,
  news_of_payment,
]
export const filing: readonly Draw[] = [charge_session, refund, news_of_payment]
