import { describe, expect, it } from 'vitest'
import { attemptDue, failUntilQuiet, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { day_ms, hour_ms } from '../../src/schema/timestamps.ts'

async function exhausted() {
  const sandbox = await openSandbox()
  const { id } = await registeredEndpoint(sandbox)
  accepted(await pay(sandbox, 'tok_test_visa'))
  await failUntilQuiet(sandbox)
  const status = async () =>
    accepted(await sandbox.engine.webhook_endpoints.retrieve(sandbox.caller, { id })).status
  return { ...sandbox, sandbox, id, status }
}

describe('the automatic pause', () => {
  it('disables an endpoint after three days in which a whole retry schedule ran and nothing got a 2xx', async () => {
    const { engine, clock, status } = await exhausted()
    const ran_ms = 60_000 + 300_000 + 1_800_000 + (2 + 6 + 12 + 24) * hour_ms
    clock.advance(3 * day_ms - ran_ms - 1)
    await engine.reconcile()
    expect(await status()).toBe('enabled')
    clock.advance(1)
    await engine.reconcile()
    expect(await status()).toBe('disabled')
  })

  it('cancels the deliveries still being retried', async () => {
    const { sandbox, engine, clock, caller, status } = await exhausted()
    clock.advance(day_ms)
    const payment = accepted(await pay(sandbox, 'tok_test_visa'))
    await attemptDue(sandbox, 'http 503')
    clock.advance(2 * day_ms)
    await engine.reconcile()
    expect(await status()).toBe('disabled')
    const events = accepted(await engine.events.list(caller, {})).data
    const event = events.find(({ data }) => data.object.id === payment.id)
    const { deliveries } = accepted(await engine.events.retrieve(caller, { id: event?.id ?? '' }))
    expect(deliveries).toMatchObject([{ status: 'canceled', attempt_count: 1, next_attempt_at: null }])
  })

  it('leaves alone an endpoint that is judged late, after its last failure is three days old', async () => {
    // The sweep once set such an endpoint due in the past again and again, and never came to an end.
    const { engine, clock, status, store } = await exhausted()
    clock.advance(10 * day_ms)
    await engine.reconcile()
    expect(await status()).toBe('enabled')
    expect((await store.nextDue(null)).row ?? '9999').toSatisfy(
      (due: string) => Date.parse(due) > clock.now(),
    )
  })

  it.each(['a 2xx', 'an edit', 'a resume'])('starts anew with %s', async (what) => {
    const { sandbox, engine, clock, caller, id, status } = await exhausted()
    if (what === 'a 2xx') {
      accepted(await pay(sandbox, 'tok_test_visa'))
      await attemptDue(sandbox, null)
    } else if (what === 'an edit') {
      accepted(await engine.webhook_endpoints.update(caller, { id, description: 'edited' }))
    } else {
      accepted(await engine.webhook_endpoints.update(caller, { id, status: 'disabled' }))
      accepted(await engine.webhook_endpoints.update(caller, { id, status: 'enabled' }))
    }
    accepted(await pay(sandbox, 'tok_test_visa'))
    await attemptDue(sandbox, 'timeout')
    clock.advance(2 * day_ms)
    await engine.reconcile()
    await attemptDue(sandbox, 'timeout')
    expect(await status()).toBe('enabled')
  })
})
