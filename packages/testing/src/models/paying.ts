import { isDeepStrictEqual } from 'node:util'
import type { PaymentStep } from '@quittance/core'
import { shownPayment } from '../builders/requests.ts'
import { helpersOf } from '../builders/sales.ts'
import { collect } from './collecting.ts'
import { type Command, chosen, codeOf, command, mustEqual, nowOf, type Running } from './command.ts'
import { sendUnder } from './keys.ts'
import {
  expectedCharge,
  expectedUse,
  type Model,
  type ModelMethod,
  type ModelSession,
  methodOf,
} from './model.ts'
import { addPayment } from './money.ts'
import { takeStep } from './steps.ts'
import { foreseenCharge, reachesProcessor } from './tokens.ts'

interface Charge {
  drawn: number
  amount: number
  /** Drawn from few, so that keys repeat. */
  key: string
}

export function payBySession({ drawn, amount, key }: Charge): Command {
  return command(`payBySession(${drawn}, ${amount}, ${key})`, async (model, running) => {
    const session = chosen(model.sessions, drawn)
    if (!session) return
    const input = { amount, currency: 'usd', payment_method_session: session.id }
    await charge({ model, running }, { key, input, amount, from: session })
  })
}

/** Collects with the token and charges it: the beginning of most refunds. */
export function pay({ token, amount, key }: { token: string; amount: number; key: string }): Command {
  return command(`pay(${token}, ${amount}, ${key})`, async (model, running) => {
    await collect(token, { amount, saved: false }).act(model, running)
    await payBySession({ drawn: 0, amount, key }).act(model, running)
  })
}

export function payByMethod({ drawn, amount, key }: Charge): Command {
  return command(`payByMethod(${drawn}, ${amount}, ${key})`, async (model, running) => {
    const method = chosen(model.methods, drawn)
    if (!method) return
    const input = { amount, currency: 'usd', payment_method: method.id }
    await charge({ model, running }, { key, input, amount, from: method })
  })
}

interface Charging {
  key: string
  input: object
  amount: number
  from: ModelSession | ModelMethod
}

async function charge(
  { model, running }: { model: Model; running: Running },
  { key, input, amount, from }: Charging,
): Promise<void> {
  const answer = await sendUnder({ model, running }, 'payments.create', { input, key })
  if (answer === null) return
  const now_ms = nowOf(running)
  const use = 'opened_ms' in from ? expectedUse(from, now_ms) : null
  if (use !== null) return mustEqual('payments.create', answer.code, use)
  const method = 'opened_ms' in from ? methodOf(from, '') : from
  const { token } = method
  const refused = expectedCharge(method, amount, now_ms)
  mustEqual('payments.create', answer.code, refused ?? foreseenCharge(token, now_ms).code)
  if (refused !== null) return

  const body = JSON.parse(answer.body)
  const shown = await shownPayment(running.sandbox, body.error?.payment ?? body.id)
  const payment = addPayment(model, { id: shown.id, token, amount }, now_ms)
  mustEqual('the payment', shown.status, payment.status)
  mustEqual('the amount', shown.amount, amount)
  if ('opened_ms' in from) {
    from.used = true
    method.id = shown.payment_method
    model.methods.push(method)
  }
  if (method.expires_ms !== null && reachesProcessor(token)) method.status = 'consumed'
}

/** Makes something happen at the processor, or in the dashboard. If it is refused, nothing may have changed. */
export function happens(step: PaymentStep, drawn: number): Command {
  return command(`${step}(${drawn})`, async (model, running) => {
    const payment = chosen(model.payments, drawn)
    if (payment === undefined) return
    const { engine, caller } = running.sandbox
    const { id, hidden, status: was } = payment
    const before = hidden ? null : await shownPayment(running.sandbox, id)
    const result = await helpersOf(engine).payment[step](caller, { id })
    if (!hidden) takeStep(model, payment, { step, now_ms: nowOf(running) })
    const expected = hidden ? 'resource_missing' : payment.status === was ? 'conflict' : null
    mustEqual(step, codeOf(result), expected)
    if (hidden) return
    const after = await shownPayment(running.sandbox, id)
    if (!isDeepStrictEqual(result.isOk() ? result.value : before, after))
      throw new Error(`${step} answered ${result.isOk() ? 'another payment' : 'a refusal'} and changed ${id}`)
  })
}
