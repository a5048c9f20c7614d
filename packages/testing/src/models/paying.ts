import { isDeepStrictEqual } from 'node:util'
import type { PaymentStep } from '@quittance/core'
import { send, shownPayment } from '../builders/requests.ts'
import { type Command, chosen, command, mustEqual, nowOf, type Running } from './command.ts'
import {
  expectedCharge,
  expectedUse,
  type Model,
  type ModelMethod,
  type ModelSession,
  methodOf,
  reachesProcessor,
} from './model.ts'

interface Charge {
  drawn: number
  amount: number
  /** Drawn from few, so that keys come again. */
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
  const { sandbox, rows } = running
  const charges = sandbox.processor.ledger.charges().length
  const answer = await send(sandbox, 'payments.create', { input, key })
  const seen = model.keys.get(key)
  const text = JSON.stringify(input)
  // The engine may have forgotten the key meanwhile, but never sooner than it says.
  if (seen && rows.idempotency_keys.some(({ id }) => id === key)) {
    const same = seen.input === text
    mustEqual('a used key', answer.replayed, same)
    mustEqual('a used key', answer.code === 'idempotency_key_reused', !same)
    if (same) mustEqual('a replay', `${answer.status} ${answer.body}`, `${seen.status} ${seen.body}`)
    mustEqual('charges after a used key', sandbox.processor.ledger.charges().length, charges)
    return
  }
  model.keys.set(key, { input: text, status: answer.status, body: answer.body })
  await expectAnswer({ model, running }, { answer, amount, from })
}

async function expectAnswer(
  { model, running }: { model: Model; running: Running },
  {
    answer,
    amount,
    from,
  }: Pick<Charging, 'amount' | 'from'> & { answer: { code: string | null; body: string } },
): Promise<void> {
  const now_ms = nowOf(running)
  const use = 'opened_ms' in from ? expectedUse(from, now_ms) : null
  if (use !== null) return mustEqual('payments.create', answer.code, use)
  const method = 'opened_ms' in from ? methodOf(from, '') : from
  const expected = expectedCharge(method, amount, now_ms)
  mustEqual('payments.create', answer.code, expected.code)
  if (expected.status === null) return

  const body = JSON.parse(answer.body)
  const payment = await shownPayment(running.sandbox, body.error?.payment ?? body.id)
  mustEqual('the payment', payment.status, expected.status)
  mustEqual('the amount', payment.amount, amount)
  model.payments.push(payment.id)
  if ('opened_ms' in from) {
    from.used = true
    method.id = payment.payment_method
    model.methods.push(method)
  }
  if (method.expires_ms !== null && reachesProcessor(method.token)) method.status = 'consumed'
}

/** Makes something happen at the processor, or in the dashboard. Refused, nothing may have changed. */
export function happens(step: PaymentStep, drawn: number): Command {
  return command(`${step}(${drawn})`, async (model, { sandbox }) => {
    const id = chosen(model.payments, drawn)
    if (id === undefined) return
    const before = await shownPayment(sandbox, id)
    const result = await sandbox.engine.testHelpers?.payment[step](sandbox.caller, { id })
    if (!result) throw new Error('the engine has no test helpers')
    const after = await shownPayment(sandbox, id)
    if (result.isErr()) {
      mustEqual(step, result.error.code, 'conflict')
      if (!isDeepStrictEqual(before, after)) throw new Error(`a refused ${step} changed ${id}`)
    } else mustEqual(step, JSON.stringify(result.value), JSON.stringify(after))
  })
}
