import { isDeepStrictEqual } from 'node:util'
import { attemptDue, failUntilQuiet } from '../builders/deliveries.ts'
import { send } from '../builders/requests.ts'
import { readRows } from '../invariants/rows.ts'
import { type Command, chosen, command, mustEqual } from './command.ts'

export function registerEndpoint(enabled_events: readonly string[]): Command {
  return command(`register(${enabled_events})`, async (model, { sandbox, rows }) => {
    const input = { url: 'https://receiver.example.com/hooks', enabled_events }
    const listed = rows.webhook_endpoints.filter((endpoint) => endpoint.listed).length
    const answer = await send(sandbox, 'webhook_endpoints.create', { input })
    mustEqual('register', answer.code, listed < 16 ? null : 'webhook_endpoint_limit_reached')
    if (answer.code === null) model.endpoints.push(JSON.parse(answer.body).id)
  })
}

export function updateEndpoint(drawn: number, status: 'enabled' | 'disabled'): Command {
  return command(`update(${drawn}, ${status})`, async (model, { sandbox }) => {
    const id = chosen(model.endpoints, drawn)
    if (id === undefined) return
    const answer = await send(sandbox, 'webhook_endpoints.update', { input: { id, status } })
    mustEqual('update', JSON.parse(answer.body).status, status)
  })
}

export function deleteEndpoint(drawn: number): Command {
  return command(`delete(${drawn})`, async (model, { sandbox }) => {
    const id = chosen(model.endpoints, drawn)
    if (id === undefined) return
    mustEqual('delete', (await send(sandbox, 'webhook_endpoints.delete', { input: { id } })).code, null)
    model.endpoints = model.endpoints.filter((endpoint) => endpoint !== id)
  })
}

/** Attempts what is due, all of it with one outcome (null: a 2xx). */
export function attempt(error: string | null): Command {
  return command(`attempt(${error ?? '2xx'})`, async (_model, { sandbox }) => {
    await attemptDue(sandbox, error)
  })
}

/** Fails whatever falls due until nothing is pending: whole retry schedules, and pauses. */
export function failDeliveries(): Command {
  return command('failUntilQuiet', async (_model, { sandbox }) => failUntilQuiet(sandbox))
}

export function resendEvent(drawn: number, to: number): Command {
  return command(`resend(${drawn}, ${to})`, async (model, { sandbox, rows }) => {
    const event = chosen(rows.events, drawn)
    const endpoint = rows.webhook_endpoints.find(({ id }) => id === chosen(model.endpoints, to))
    if (!event || !endpoint) return
    const input = { id: event.id, endpoint: endpoint.id }
    const { code } = await send(sandbox, 'events.resend', { input })
    const pending = rows.deliveries.some((one) => one.pending_of === event.id && one.endpoint === endpoint.id)
    const expected = endpoint.status === 'disabled' ? 'parameter_invalid' : pending ? 'conflict' : null
    mustEqual('resend', code, expected)
  })
}

/** Lets time pass with nobody looking: what falls due is found by whoever looks next. */
export function passTime(delta_ms: number): Command {
  return command(`pass(${delta_ms} ms)`, async (_model, { sandbox }) => sandbox.clock.advance(delta_ms))
}

/** Moves the sandbox's clock, which runs all that falls due on the way. */
export function advanceClock(seconds: number): Command {
  return command(`advance(${seconds} s)`, async (_model, { sandbox }) => {
    const moved = await sandbox.engine.testHelpers?.advanceClock(sandbox.caller, { seconds })
    mustEqual('advance', moved?.isOk(), true)
  })
}

/** Reconciles, and again: the second time nothing is left to change (M46). */
export function reconcile(): Command {
  return command('reconcile', async (_model, { sandbox }) => {
    const { engine, store, scope } = sandbox
    await engine.reconcile()
    const once = await readRows(store, scope)
    await engine.reconcile()
    if (!isDeepStrictEqual(once, await readRows(store, scope)))
      throw new Error('M46: reconciling again changed rows')
  })
}
