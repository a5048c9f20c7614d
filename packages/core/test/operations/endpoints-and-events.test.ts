import { describe, expect, it, vi } from 'vitest'
import { attemptDue, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { advance } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import { in_english } from '../../src/schema/in-english.ts'
import { iso } from '../../src/schema/timestamps.ts'
import { refusal } from './refusals.ts'

const url = 'https://receiver.example.com/hooks'

async function lastEvent({ engine, caller }: Sandbox) {
  const [event] = accepted(await engine.events.list(caller, {})).data
  if (!event) throw new Error('nothing was announced')
  return event
}

describe('webhook endpoints', () => {
  it('show their secret in the answer to the create only', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const { secret, ...endpoint } = await registeredEndpoint(sandbox)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/)
    expect(endpoint).toMatchObject({ object: 'webhook_endpoint', url, description: '', status: 'enabled' })
    expect(accepted(await engine.webhook_endpoints.retrieve(caller, { id: endpoint.id }))).toEqual(endpoint)
    expect(accepted(await engine.webhook_endpoints.list(caller, {})).data).toEqual([endpoint])
    const row = await sandbox.store.read(sandbox.scope, (rows) => rows.webhook_endpoints.get(endpoint.id))
    expect(JSON.stringify(row)).not.toContain(secret)
  })

  it.each([
    ['url', { url: 'http://receiver.example.com' }],
    ['url', { url: 'https://127.0.0.1/' }],
    ['url', { url: 'https://svc.internal' }],
    ['url', { url: '' }],
    ['url', { url: `https://receiver.example.com/${'x'.repeat(2048)}` }],
    ['enabled_events[1]', { enabled_events: ['payment.succeeded', 'payment.exploded'] }],
    ['enabled_events', { enabled_events: ['*', 'payment.succeeded'] }],
    ['enabled_events', { enabled_events: [] }],
    ['description', { description: 'x'.repeat(501) }],
    ['secret', { secret: 'mine' }],
  ])('refuse an invalid %s: %o', async (param, input) => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const refused = { code: 'parameter_invalid', param }
    const given = { url, enabled_events: ['*'], ...input } as never
    expect(refusal(await engine.webhook_endpoints.create(caller, given))).toEqual(refused)
    const { id } = await registeredEndpoint(sandbox)
    const update = { id, ...input } as never
    expect(refusal(await engine.webhook_endpoints.update(caller, update))).toEqual(refused)
    expect(accepted(await engine.webhook_endpoints.list(caller, {})).data).toHaveLength(1)
  })

  it('are at most sixteen in an environment, deleted ones aside', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const made = []
    for (let n = 0; n < 16; n += 1) made.push(await registeredEndpoint(sandbox))
    const input = { url, enabled_events: ['*' as const] }
    const limit = { code: 'webhook_endpoint_limit_reached' }
    expect(refusal(await engine.webhook_endpoints.create(caller, input))).toEqual(limit)
    const id = made[7]?.id ?? ''
    expect(accepted(await engine.webhook_endpoints.delete(caller, { id }))).toEqual({
      object: 'webhook_endpoint',
      id,
      deleted: true,
    })
    await registeredEndpoint(sandbox)
    expect(refusal(await engine.webhook_endpoints.create(caller, input))).toEqual(limit)
    const live = { ...caller, livemode: true }
    expect((await engine.webhook_endpoints.create(live, input)).isOk()).toBe(true)
  })

  it('keep the fields an update leaves out, and answer resource_missing once deleted', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const { secret: _, ...endpoint } = await registeredEndpoint(sandbox)
    const { id } = endpoint
    const described = accepted(await engine.webhook_endpoints.update(caller, { id, description: 'orders' }))
    expect(described).toEqual({ ...endpoint, description: 'orders' })
    accepted(await engine.webhook_endpoints.delete(caller, { id }))
    const missing = { code: 'resource_missing' }
    expect(refusal(await engine.webhook_endpoints.retrieve(caller, { id }))).toEqual(missing)
    expect(refusal(await engine.webhook_endpoints.update(caller, { id }))).toEqual(missing)
    expect(refusal(await engine.webhook_endpoints.delete(caller, { id }))).toEqual(missing)
  })

  it('receive what they subscribe to, while they are enabled', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const all = await registeredEndpoint(sandbox)
    const input = { url, enabled_events: ['payment.failed' as const] }
    const failures = accepted(await engine.webhook_endpoints.create(caller, input))
    const disabled = await registeredEndpoint(sandbox)
    accepted(await engine.webhook_endpoints.update(caller, { id: disabled.id, status: 'disabled' }))
    accepted(await pay(sandbox, 'tok_test_visa'))
    const succeeded = await lastEvent(sandbox)
    await pay(sandbox, 'tok_test_declined')
    const failed = await lastEvent(sandbox)
    const to = async (id: string) =>
      accepted(await engine.events.retrieve(caller, { id })).deliveries.map(({ endpoint }) => endpoint)
    expect(await to(succeeded.id)).toEqual([all.id])
    expect(await to(failed.id)).toEqual([all.id, failures.id])
  })

  it('keep each type they subscribe to once, as often as it was named', async () => {
    const { engine, caller } = await openSandbox()
    const named = (times: number) => [
      'payment.returned' as const,
      ...Array.from({ length: times }, () => 'payment.failed' as const),
    ]
    const kept = ['payment.returned', 'payment.failed']
    const { id, ...made } = accepted(
      await engine.webhook_endpoints.create(caller, { url, enabled_events: named(2) }),
    )
    expect(made.enabled_events).toEqual(kept)
    const edited = await engine.webhook_endpoints.update(caller, { id, enabled_events: named(10_000) })
    expect(accepted(edited).enabled_events).toEqual(kept)
  })

  it('find no words for each of a hundred thousand types that do not exist, which took seconds', async () => {
    const { engine, caller } = await openSandbox()
    const words = vi.spyOn(in_english, 'error')
    const input = { url, enabled_events: Array.from({ length: 100_000 }, () => 'none') } as never
    const refused = await engine.webhook_endpoints.create(caller, input)
    expect(refusal(refused)).toMatchObject({ code: 'parameter_invalid', param: 'enabled_events[0]' })
    expect(refused._unsafeUnwrapErr().message).toContain('"payment.processing"')
    expect(words.mock.calls.length).toBeLessThan(100)
    words.mockRestore()
  })

  it.each(['disable', 'delete'] as const)(
    'cancel what they would still be sent when they are gone: %s',
    async (how) => {
      const sandbox = await openSandbox()
      const { engine, caller } = sandbox
      const { id } = await registeredEndpoint(sandbox)
      accepted(await pay(sandbox, 'tok_test_visa'))
      await attemptDue(sandbox, 'http 500')
      if (how === 'delete') accepted(await engine.webhook_endpoints.delete(caller, { id }))
      else accepted(await engine.webhook_endpoints.update(caller, { id, status: 'disabled' }))
      const event = await lastEvent(sandbox)
      const { deliveries } = accepted(await engine.events.retrieve(caller, { id: event.id }))
      expect(deliveries).toMatchObject([{ endpoint: id, status: 'canceled', last_error: 'http 500' }])
      expect(await engine.deliveries.nextDueAt()).toBeNull()
    },
  )

  it('have what was delivered of both environments of a workspace recorded at once', async () => {
    const sandbox = await openSandbox()
    const both = [sandbox, await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })]
    for (const one of both) {
      await registeredEndpoint(one)
      accepted(await pay(one, 'tok_test_visa'))
    }
    const at = iso(sandbox.clock.now())
    const attempt = { started_at: at, ended_at: at, response_status: 200, error: null }
    const claimed = await sandbox.engine.deliveries.claim(2)
    await sandbox.engine.deliveries.record(claimed.map((delivery) => ({ delivery, attempt })))
    for (const one of both) {
      const { id } = await lastEvent(one)
      const { deliveries } = accepted(await one.engine.events.retrieve(one.caller, { id }))
      expect(deliveries).toMatchObject([{ status: 'succeeded' }])
    }
  })

  it("leave what is on the wire to its receiver, also where the sandbox's clock was moved ahead", async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const { id } = await registeredEndpoint(sandbox)
    await advance(sandbox, 3600)
    accepted(await pay(sandbox, 'tok_test_visa'))
    const [delivery] = await engine.deliveries.claim(1)
    if (!delivery) throw new Error('nothing was due')
    accepted(await engine.webhook_endpoints.update(caller, { id, status: 'disabled' }))
    const at = iso(engine.clock.now())
    const attempt = { started_at: at, ended_at: at, response_status: 200, error: null }
    await engine.deliveries.record([{ delivery, attempt }])
    const { deliveries } = accepted(await engine.events.retrieve(caller, { id: delivery.event }))
    expect(deliveries).toMatchObject([{ status: 'succeeded', attempt_count: 1 }])
  })
})

describe('POST /events/{id}/resend', () => {
  it('delivers the same bytes again, and answers conflict while an earlier delivery is being retried', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    const { id: endpoint } = await registeredEndpoint(sandbox)
    accepted(await pay(sandbox, 'tok_test_visa'))
    const { id } = await lastEvent(sandbox)
    const resend = async () => await engine.events.resend(caller, { id, endpoint })
    expect(refusal(await resend())).toEqual({ code: 'conflict' })
    const [first] = await engine.deliveries.claim(1)
    const at = '2026-01-31T12:00:00.000Z'
    const attempt = { started_at: at, ended_at: at, response_status: 200, error: null }
    if (!first) throw new Error('nothing was due')
    await engine.deliveries.record([{ delivery: first, attempt }])
    const { deliveries } = accepted(await resend())
    expect(deliveries.map(({ origin, status }) => [origin, status])).toEqual([
      ['emit', 'succeeded'],
      ['resend', 'pending'],
    ])
    const [second] = await engine.deliveries.claim(1)
    expect([second?.body, second?.event]).toEqual([first.body, first.event])
  })

  it('lists the new delivery last, also after the clock went back', async () => {
    const sandbox = await openSandbox()
    const { engine, caller, clock } = sandbox
    const { id: endpoint } = await registeredEndpoint(sandbox)
    accepted(await pay(sandbox, 'tok_test_visa'))
    await attemptDue(sandbox, null)
    clock.jump(-3_600_000)
    const { id } = await lastEvent(sandbox)
    const { deliveries } = accepted(await engine.events.resend(caller, { id, endpoint }))
    expect(deliveries.map(({ origin }) => origin)).toEqual(['emit', 'resend'])
  })

  it('looks the event up first, then judges the endpoint', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    accepted(await pay(sandbox, 'tok_test_visa'))
    const { id } = await lastEvent(sandbox)
    const resend = async (event: string, endpoint: string) =>
      refusal(await engine.events.resend(caller, { id: event, endpoint }))
    expect(await resend('evt_test_none', 'we_test_none')).toEqual({ code: 'resource_missing' })
    const invalid = { code: 'parameter_invalid', param: 'endpoint' }
    expect(await resend(id, 'we_test_none')).toEqual(invalid)
    const { id: endpoint } = await registeredEndpoint(sandbox)
    accepted(await engine.webhook_endpoints.update(caller, { id: endpoint, status: 'disabled' }))
    expect(await resend(id, endpoint)).toEqual(invalid)
    accepted(await engine.webhook_endpoints.delete(caller, { id: endpoint }))
    expect(await resend(id, endpoint)).toEqual(invalid)
  })

  it('works for an endpoint that does not subscribe, and for events filed before it was there', async () => {
    const sandbox = await openSandbox()
    const { engine, caller } = sandbox
    accepted(await pay(sandbox, 'tok_test_visa'))
    const { id } = await lastEvent(sandbox)
    const input = { url, enabled_events: ['refund.failed' as const] }
    const { id: endpoint } = accepted(await engine.webhook_endpoints.create(caller, input))
    const { deliveries } = accepted(await engine.events.resend(caller, { id, endpoint }))
    expect(deliveries).toMatchObject([{ endpoint, origin: 'resend', status: 'pending' }])
  })
})
