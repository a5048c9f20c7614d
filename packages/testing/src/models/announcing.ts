import { attemptDue, attemptUntilQuiet } from '../builders/deliveries.ts'
import { send } from '../builders/requests.ts'
import { type Command, chosen, command, mustEqual, nowOf, type Running } from './command.ts'
import { dueDeliveries, mayPause, moveDelivery, silence } from './listening.ts'
import type { Model } from './model.ts'

export function registerEndpoint(enabled_events: readonly string[]): Command {
  return command(`register(${enabled_events})`, async (model, running) => {
    const { sandbox, rows } = running
    const input = { url: 'https://receiver.example.com/hooks', enabled_events }
    const listed = rows.webhook_endpoints.filter((endpoint) => endpoint.listed).length
    const answer = await send(sandbox, 'webhook_endpoints.create', { input })
    mustEqual('register', answer.code, listed < 16 ? null : 'webhook_endpoint_limit_reached')
    if (answer.code !== null) return
    model.endpoints.push({ id: JSON.parse(answer.body).id, status: 'enabled', quiet_ms: nowOf(running) })
  })
}

export function updateEndpoint(drawn: number, status: 'enabled' | 'disabled'): Command {
  return command(`update(${drawn}, ${status})`, async (model, running) => {
    const endpoint = chosen(model.endpoints, drawn)
    if (endpoint === undefined) return
    const { id } = endpoint
    const answer = await send(running.sandbox, 'webhook_endpoints.update', { input: { id, status } })
    mustEqual('update', JSON.parse(answer.body).status, status)
    if (status === 'disabled') silence(model, endpoint)
    Object.assign(endpoint, { status, quiet_ms: nowOf(running) })
  })
}

export function deleteEndpoint(drawn: number): Command {
  return command(`delete(${drawn})`, async (model, { sandbox }) => {
    const endpoint = chosen(model.endpoints, drawn)
    if (endpoint === undefined) return
    const { id } = endpoint
    mustEqual('delete', (await send(sandbox, 'webhook_endpoints.delete', { input: { id } })).code, null)
    silence(model, endpoint)
    model.endpoints = model.endpoints.filter((other) => other !== endpoint)
  })
}

/** Attempts every due delivery, all with the same outcome (null: a 2xx). */
export function attempt(error: string | null): Command {
  return command(`attempt(${error ?? '2xx'})`, (model, running) => attemptAll(model, running, error))
}

/** Fails whatever falls due until nothing is pending: whole retry schedules, and pauses. */
export function failDeliveries(): Command {
  return command('failUntilQuiet', (model, running) =>
    attemptUntilQuiet(running.sandbox, () => attemptAll(model, running, 'http 503')),
  )
}

async function attemptAll(model: Model, running: Running, error: string | null): Promise<void> {
  const now_ms = nowOf(running)
  const due = new Map(dueDeliveries(model, now_ms).map((delivery) => [delivery.id, delivery]))
  const attempted = new Set(await attemptDue(running.sandbox, error))
  // Not all that are due: few can be in flight at a time.
  if (due.size > 0 && attempted.size === 0) throw new Error(`${[...due.keys()]} were due; none was attempted`)
  for (const delivery of model.deliveries) {
    if (!attempted.has(delivery.id)) continue
    mustEqual(`whether ${delivery.id} was due`, true, due.has(delivery.id))
    moveDelivery(delivery, error, now_ms)
  }
  for (const endpoint of model.endpoints) {
    if (![...due.values()].some(({ id, endpoint: to }) => to === endpoint.id && attempted.has(id))) continue
    if (error === null) endpoint.quiet_ms = now_ms
    else if (mayPause(model, endpoint, now_ms)) silence(model, endpoint)
  }
}

export function resendEvent(drawn: number, to: number): Command {
  return command(`resend(${drawn}, ${to})`, async (model, { sandbox, rows }) => {
    const event = chosen(rows.events, drawn)
    const endpoint = chosen(model.endpoints, to)
    if (!event || !endpoint) return
    const input = { id: event.id, endpoint: endpoint.id }
    const { code } = await send(sandbox, 'events.resend', { input })
    const pending = rows.deliveries.some((one) => one.pending_of === event.id && one.endpoint === endpoint.id)
    const expected = endpoint.status === 'disabled' ? 'parameter_invalid' : pending ? 'conflict' : null
    mustEqual('resend', code, expected)
  })
}
