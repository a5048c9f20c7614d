import { accepted, confirmation, isBankToken, opening, send } from '../builders/requests.ts'
import { type Command, chosen, command, mustEqual, nowOf, type Running } from './command.ts'
import { expectedConfirm, expectedUse, isOver, isUsable, methodOf } from './model.ts'

/** Opens a session of the token's kind, for a customer if the method is to be saved. */
export function openSession(token: string, { amount, saved }: { amount: number; saved: boolean }): Command {
  return command(`open(${token}, ${amount}, ${saved})`, async (model, running) => {
    const { sandbox } = running
    const bank = isBankToken(token)
    const input = opening(token, { amount, customer: saved ? await customerOf(running) : undefined })
    const answer = await send(sandbox, 'payment_method_sessions.create', { input })
    mustEqual('open', answer.code, null)
    model.sessions.push({
      id: JSON.parse(answer.body).id,
      bank,
      saved,
      authorized: bank && !saved ? amount : null,
      opened_ms: nowOf(running),
      canceled: false,
      token: null,
      succeeded_ms: 0,
      used: false,
    })
  })
}

/** Opens a session and confirms it with the same token: the beginning of most payments. */
export function collect(token: string, options: { amount: number; saved: boolean }): Command {
  return command(`collect(${token}, ${options.amount}, ${options.saved})`, async (model, running) => {
    await openSession(token, options).act(model, running)
    await confirmSession(0, token).act(model, running)
  })
}

async function customerOf({ sandbox: { engine, scope }, rows }: Running): Promise<string> {
  const known = rows.customers[0]
  if (known) return known.id
  const input = { reference: 'customer', name: 'Ada', email: 'ada@example.com', phone: '' }
  return accepted(await engine.admin.customers.create(scope, input)).id
}

export function confirmSession(drawn: number, token: string): Command {
  return command(`confirm(${drawn}, ${token})`, async (model, running) => {
    const session = chosen(model.sessions, drawn)
    if (!session) return
    const expected = expectedConfirm(session, token, nowOf(running))
    const input = confirmation(session.id, token)
    const { code } = await send(running.sandbox, 'payment_method_sessions.confirm', { input })
    mustEqual('confirm', code, expected)
    if (code !== null || session.token !== null) return
    Object.assign(session, { token, succeeded_ms: nowOf(running) })
  })
}

export function cancelSession(drawn: number): Command {
  return command(`cancel(${drawn})`, async (model, running) => {
    const session = chosen(model.sessions, drawn)
    if (!session) return
    const open = session.token === null && !session.canceled && !isOver(session, nowOf(running))
    const { code } = await send(running.sandbox, 'payment_method_sessions.cancel', {
      input: { id: session.id },
    })
    mustEqual('cancel', code, open ? null : 'payment_method_session_inactive')
    if (open) session.canceled = true
  })
}

export function createMethod(drawn: number): Command {
  return command(`createMethod(${drawn})`, async (model, running) => {
    const session = chosen(model.sessions, drawn)
    if (!session) return
    const input = { payment_method_session: session.id }
    const answer = await send(running.sandbox, 'payment_methods.create', { input })
    mustEqual('createMethod', answer.code, expectedUse(session, nowOf(running)))
    if (answer.code !== null) return
    session.used = true
    model.methods.push(methodOf(session, JSON.parse(answer.body).id))
  })
}

export function detachMethod(drawn: number): Command {
  return command(`detach(${drawn})`, async (model, running) => {
    const method = chosen(model.methods, drawn)
    if (!method) return
    const usable = isUsable(method, nowOf(running))
    const { code } = await send(running.sandbox, 'payment_methods.detach', { input: { id: method.id } })
    mustEqual('detach', code, usable ? null : 'payment_method_unusable')
    if (usable) method.status = 'detached'
  })
}
