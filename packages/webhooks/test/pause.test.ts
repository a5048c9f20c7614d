import { type Notifier, ok } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import {
  advance,
  deliveriesOf,
  dispatching,
  lastEvent,
  pay,
  register,
  type Service,
  service,
  statusOf,
} from './service.ts'
import { webReceiver } from './web-receiver.ts'

const hour_s = 3_600
/** All eight attempts of a delivery that fails at once: 44 h 36 min. */
const exhausted_s = 45 * hour_s
const three_days_s = 72 * hour_s

describe('automatic pause: three days without a 2xx, no edit and no resume, a delivery before them exhausted', () => {
  it('disables the endpoint when the three days are over, and not a second earlier', async () => {
    const { made, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, three_days_s - 1)
    expect(await statusOf(made, endpoint)).toBe('enabled')
    await advance(made, 1)
    expect(await statusOf(made, endpoint)).toBe('disabled')
  })

  it('cancels what is still being retried, and keeps every event in the log', async () => {
    const { made, receiver, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, 60 * hour_s)
    await pay(made)
    const { id } = await lastEvent(made)
    await advance(made, 12 * hour_s)
    expect(await statusOf(made, endpoint)).toBe('disabled')
    expect(await deliveriesOf(made, id)).toMatchObject([{ status: 'canceled', next_attempt_at: null }])
    const attempts = receiver.received.length
    await pay(made)
    const missed = await lastEvent(made)
    await advance(made, 48 * hour_s)
    expect(receiver.received).toHaveLength(attempts)
    expect(await deliveriesOf(made, missed.id)).toEqual([])
  })

  it('does not happen with a 2xx inside the three days', async () => {
    const { made, receiver, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, exhausted_s)
    receiver.answer = () => 200
    await pay(made)
    await advance(made, 30 * 24 * hour_s)
    expect(await statusOf(made, endpoint)).toBe('enabled')
  })

  it('counts the three days from the last 2xx, where attempts fail again after it', async () => {
    const { made, receiver, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, exhausted_s)
    receiver.answer = () => 200
    await pay(made)
    await advance(made, 0)
    receiver.answer = () => 500
    await pay(made)
    await advance(made, three_days_s - 1)
    expect(await statusOf(made, endpoint)).toBe('enabled')
    await advance(made, 1)
    expect(await statusOf(made, endpoint)).toBe('disabled')
  })

  it('does not happen with an edit inside them', async () => {
    const { made, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, exhausted_s)
    await update(made, endpoint, { description: 'edited' })
    await advance(made, 30 * 24 * hour_s)
    expect(await statusOf(made, endpoint)).toBe('enabled')
  })

  it('does not happen with a resume inside them', async () => {
    const { made, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, exhausted_s)
    await update(made, endpoint, { status: 'disabled' })
    await update(made, endpoint, { status: 'enabled' })
    await advance(made, 30 * 24 * hour_s)
    expect(await statusOf(made, endpoint)).toBe('enabled')
  })

  it('does not happen before a delivery that ran its whole schedule is three days old', async () => {
    const { made, endpoint } = await failingEndpoint()
    await advance(made, 70 * hour_s)
    await pay(made)
    await advance(made, three_days_s - 1)
    expect(await statusOf(made, endpoint)).toBe('enabled')
    await advance(made, 1)
    expect(await statusOf(made, endpoint)).toBe('disabled')
  })

  it('leaves an idle endpoint with an old failure alone', async () => {
    const { made, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, exhausted_s)
    await update(made, endpoint, { description: 'looked at' })
    await advance(made, 365 * 24 * hour_s)
    expect(await statusOf(made, endpoint)).toBe('enabled')
  })

  it('leaves it alone also where nobody looked for days', async () => {
    const { made, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, exhausted_s)
    made.clock.pass((three_days_s + 1) * 1_000)
    await made.engine.reconcile()
    expect(await statusOf(made, endpoint)).toBe('enabled')
  })

  it('leaves an endpoint alone that nothing was sent to', async () => {
    const { made, endpoint } = await failingEndpoint()
    await advance(made, 30 * 24 * hour_s)
    expect(await statusOf(made, endpoint)).toBe('enabled')
  })
})

describe('the dashboard user who registered a paused endpoint is told', () => {
  it('once, with the endpoint; an endpoint registered with an API key tells no one', async () => {
    const told: Parameters<Notifier['endpointPaused']>[0][] = []
    const { made, endpoint } = await failingEndpoint({
      async endpointPaused(notice) {
        told.push(notice)
      },
    })
    const of_key = await register(made, 'http://127.0.0.1:9/nobody')
    const { workspace } = made.caller
    const scope = { workspace: workspace.id, livemode: false }
    await made.store.transaction<void, never>(scope, async (tx) => {
      const row = await tx.webhook_endpoints.lock(endpoint)
      return ok(row && (await tx.webhook_endpoints.update({ ...row, registered_by: 'user-1' })))
    })
    await pay(made)
    await advance(made, 10 * 24 * hour_s)
    expect([await statusOf(made, endpoint), await statusOf(made, of_key.id)]).toEqual([
      'disabled',
      'disabled',
    ])
    expect(told).toEqual([{ ...scope, endpoint, url: expect.any(String), user: 'user-1' }])
  })

  it("and of an API key's endpoint too, where that rule is on", async () => {
    const told: (string | null)[] = []
    const endpointPaused: Notifier['endpointPaused'] = async ({ user }) => {
      told.push(user)
    }
    const { made, endpoint } = await failingEndpoint({ endpointPaused }, { notifyOfKeyEndpoints: true })
    await pay(made)
    await advance(made, 10 * 24 * hour_s)
    expect(await statusOf(made, endpoint)).toBe('disabled')
    expect(told).toEqual([null])
  })

  it('and a notifier that fails changes nothing', async () => {
    const { made, endpoint } = await failingEndpoint({
      endpointPaused: () => Promise.reject(new Error('no mail')),
    })
    await pay(made)
    await advance(made, 10 * 24 * hour_s)
    expect(await statusOf(made, endpoint)).toBe('disabled')
  })
})

describe('recovery after a pause', () => {
  it('refuses a resend until the endpoint is enabled, and then delivers what was missed', async () => {
    const { made, receiver, endpoint } = await failingEndpoint()
    await pay(made)
    await advance(made, three_days_s)
    await pay(made)
    const { id } = await lastEvent(made)
    const refused = await made.engine.events.resend(made.caller, { id, endpoint })
    expect(refused._unsafeUnwrapErr()).toMatchObject({ code: 'parameter_invalid', param: 'endpoint' })
    receiver.answer = () => 200
    await update(made, endpoint, { status: 'enabled' })
    expect((await made.engine.events.resend(made.caller, { id, endpoint })).isOk()).toBe(true)
    await advance(made, 0)
    expect(await deliveriesOf(made, id)).toMatchObject([{ origin: 'resend', status: 'succeeded' }])
    await pay(made)
    await advance(made, 0)
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([{ status: 'succeeded' }])
  })
})

describe('R20: the automatic pause and an edit at the same moment', () => {
  it.each(['the edit', 'the pause'])(
    'never leaves an endpoint paused after its edit, %s asked for first',
    async (first) => {
      const { made, endpoint } = await failingEndpoint()
      await pay(made)
      await advance(made, three_days_s - 1)
      made.clock.pass(1_000)
      const edit = () =>
        made.engine.webhook_endpoints.update(made.caller, { id: endpoint, description: 'raced' })
      const pausing = first === 'the pause' ? made.engine.reconcile() : undefined
      const editing = edit()
      await (pausing ?? made.engine.reconcile())
      // Whichever committed first decides, and the edit answers which: it counts from now on, or resumes nothing.
      const { status } = (await editing)._unsafeUnwrap()
      await made.engine.reconcile()
      expect(await statusOf(made, endpoint)).toBe(status)
    },
  )
})

async function failingEndpoint(notifier?: Partial<Notifier>, rules: { notifyOfKeyEndpoints?: boolean } = {}) {
  const receiver = await webReceiver(() => 503)
  const made = await service({ ...(notifier ? { notifier } : {}), ...rules })
  dispatching(made)
  const { id: endpoint } = await register(made, receiver.url)
  return { made, receiver, endpoint }
}

async function update(
  { engine, caller }: Service,
  id: string,
  fields: { description?: string; status?: 'enabled' | 'disabled' },
) {
  ;(await engine.webhook_endpoints.update(caller, { id, ...fields }))._unsafeUnwrap()
}
