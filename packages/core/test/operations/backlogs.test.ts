import { describe, expect, it } from 'vitest'
import { attemptDue, failUntilQuiet, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { ok } from '../../src/kernel/result.ts'
import type { Store } from '../../src/ports/store.ts'
import { day_ms, iso } from '../../src/schema/timestamps.ts'

const canceled_at_once = 1_000

/** An endpoint to which so many deliveries are pending. */
async function behind(count: number) {
  const notices: unknown[] = []
  const endpointPaused = (notice: unknown) => void notices.push(notice)
  const sandbox = await openSandbox({ notifier: { endpointPaused }, notifyOfKeyEndpoints: true })
  const { engine, caller, store, scope } = sandbox
  const { id } = await registeredEndpoint(sandbox)
  const file = async () => {
    accepted(await pay(sandbox, 'tok_test_visa'))
    const rows = await readRows(store, scope)
    const first = rows.deliveries.find(({ status }) => status === 'pending')
    const filed = rows.events.find((event) => event.id === first?.event)
    if (!first || !filed) throw new Error('nothing was filed')
    await store.transaction(scope, async ({ deliveries, events }) => {
      for (let n = 1; n < count; n += 1) {
        const number = String(n).padStart(4, '0')
        const event = `evt_test_${number}`
        await events.insert({ ...filed, id: event })
        const copy = { ...first, id: `${first.id.slice(0, -4)}${number}`, event, emit_of: event }
        await deliveries.insert({ ...copy, pending_of: event })
      }
      return ok(null)
    })
  }
  const statuses = async () => {
    const { deliveries } = await readRows(store, scope)
    const count = (of: string) => deliveries.filter(({ status }) => status === of).length
    return { pending: count('pending'), canceled: count('canceled') }
  }
  const update = async (changes: { status?: 'enabled' | 'disabled'; description?: string }) =>
    accepted(await engine.webhook_endpoints.update(caller, { id, ...changes }))
  return { sandbox, ...sandbox, id, notices, file, statuses, update }
}

describe('what a disabled endpoint would still have been sent', () => {
  it('is canceled with it, up to a thousand', async () => {
    const { file, update, statuses } = await behind(600)
    await file()
    await update({ status: 'disabled' })
    expect(await statuses()).toEqual({ pending: 0, canceled: 600 })
  })

  it('is canceled by the reconciler beyond that, whatever happens to the endpoint meanwhile', async () => {
    const { engine, file, update, statuses } = await behind(3_300)
    await file()
    await update({ status: 'disabled' })
    expect(await statuses()).toEqual({ pending: 2_300, canceled: canceled_at_once })
    expect((await engine.verify()).violations.filter(({ invariant }) => invariant === 'M36')).toEqual([])
    await update({ description: 'edited' })
    await engine.reconcile()
    expect(await statuses()).toEqual({ pending: 0, canceled: 3_300 })
  })

  it('is not sent before it is canceled', async () => {
    const { engine, file, update, statuses } = await behind(1_600)
    await file()
    await update({ status: 'disabled' })
    const claimed = await engine.deliveries.claim(100)
    expect(new Set(claimed.map(({ stopped }) => stopped))).toEqual(new Set([true]))
    await engine.deliveries.release(claimed)
    expect(await statuses()).toEqual({ pending: 600 - claimed.length, canceled: 1_000 + claimed.length })
  })

  it('ends with the attempt that is on the wire, if that fails', async () => {
    const { engine, clock, store, scope, file, update } = await behind(3_300)
    await file()
    const claimed = await engine.deliveries.claim(5)
    await update({ status: 'disabled' })
    const at = iso(clock.now())
    const attempt = { started_at: at, ended_at: at, response_status: 503, error: 'http 503' }
    await engine.deliveries.record(claimed.map((delivery) => ({ delivery, attempt })))
    const sent = new Set(claimed.map(({ id }) => id))
    const { deliveries } = await readRows(store, scope)
    const after = deliveries.filter(({ id }) => sent.has(id)).map(({ status }) => status)
    expect(after).toEqual(Array.from({ length: 5 }, () => 'canceled'))
  })

  it('is not sent once the endpoint is enabled again', async () => {
    const { file, update, statuses } = await behind(1_600)
    await file()
    await update({ status: 'disabled' })
    await update({ status: 'enabled' })
    expect(await statuses()).toEqual({ pending: 0, canceled: 1_600 })
  })

  // All of it was canceled at once: on Postgres a payment meanwhile waited for seconds, and gave up after twenty.
  it.each(['an API key', 'a dashboard user'])(
    'is canceled by the thousand before %s enables it, and others have their turn in between',
    async (by) => {
      const { sandbox, engine, store, scope, id, file, update, statuses } = await behind(4_300)
      await file()
      await update({ status: 'disabled' })
      const most: number[] = []
      let left = 3_300
      const counting: Store = {
        ...store,
        async transaction(of, work) {
          const result = await store.transaction(of, work)
          const { pending } = await statuses()
          most.push(left - pending)
          left = pending
          return result
        },
      }
      const enabling = sandbox.another({ store: counting }).engine
      const change = { id, status: 'enabled' as const }
      if (by === 'an API key') accepted(await enabling.webhook_endpoints.update(sandbox.caller, change))
      else accepted(await enabling.admin.webhook_endpoints.update(scope, change))
      expect(await statuses()).toEqual({ pending: 0, canceled: 4_300 })
      expect(Math.max(...most)).toBe(canceled_at_once)
      await pay(sandbox, 'tok_test_visa')
      expect(await engine.deliveries.claim(100)).toHaveLength(1)
    },
  )

  it('is canceled of a deleted one too', async () => {
    const { engine, caller, id, file, statuses } = await behind(1_600)
    await file()
    accepted(await engine.webhook_endpoints.delete(caller, { id }))
    expect(await statuses()).toEqual({ pending: 600, canceled: canceled_at_once })
    await engine.reconcile()
    expect(await statuses()).toEqual({ pending: 0, canceled: 1_600 })
  })

  it('is canceled where the endpoint is paused, and its user is notified once', async () => {
    const { sandbox, engine, clock, file, notices, statuses } = await behind(1_600)
    accepted(await pay(sandbox, 'tok_test_visa'))
    await failUntilQuiet(sandbox)
    clock.advance(day_ms)
    await file()
    await attemptDue(sandbox, 'http 503')
    expect(notices).toEqual([])
    clock.advance(day_ms)
    await engine.reconcile()
    expect(await statuses()).toEqual({ pending: 0, canceled: 1_600 })
    expect(notices).toHaveLength(1)
  })
})
