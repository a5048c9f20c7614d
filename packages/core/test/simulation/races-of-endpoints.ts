import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import { attemptDue, failUntilQuiet, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, confirmedSession, freshKey, pay, send } from '../../../testing/src/builders/requests.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { hour_ms, minute_ms } from '../../src/schema/timestamps.ts'
import type { Race, RaceRound } from './race.ts'
import { codeOf } from './races-outcome.ts'
import { dispatchingBoth, type Receiving } from './races-receiver.ts'

const three_days_ms = 72 * hour_ms

export const races_of_endpoints: Race[] = [
  {
    id: 'R18',
    sentence: 'disabling an endpoint while an attempt is on the wire: a 2xx counts, a failure cancels',
    ends: ['succeeded 1', 'canceled 1', 'canceled 0'],
    async round(round) {
      const { sandbox, first } = round
      const { id } = await registeredEndpoint(sandbox)
      accepted(await pay(sandbox, 'tok_test_visa'))
      const answer = round.random.pick([200, 503])
      const receiving = dispatchingBoth(round, () => answer)
      const disabling = long(round).then(() =>
        first.engine.webhook_endpoints.update(sandbox.caller, { id, status: 'disabled' }),
      )
      await Promise.all([disabling.then(accepted), receiving.drain()])
      const [delivery] = await afterChange(round, receiving)
      expect(receiving.received).toHaveLength(delivery?.attempt_count ?? 0)
      expect(delivery?.last_response_status ?? null).toBe(delivery?.attempt_count === 1 ? answer : null)
      return `${delivery?.status} ${delivery?.attempt_count}`
    },
  },
  {
    id: 'R19',
    sentence:
      'two resends and a retry: conflict until the earlier delivery has ended, and the same bytes each time',
    ends: ['conflict,conflict', 'conflict,ok', 'ok,ok'],
    async round(round) {
      const { sandbox, first, second } = round
      const { id: endpoint } = await registeredEndpoint(sandbox)
      accepted(await pay(sandbox, 'tok_test_visa'))
      await attemptDue(sandbox, 'http 503')
      const [event] = (await readRows(sandbox.store, sandbox.scope)).events
      sandbox.clock.advance(minute_ms)
      const receiving = dispatchingBoth(round, () => 200)
      const resends = [first, second].map(async ({ engine, caller }) => {
        await long(round)
        return codeOf(await engine.events.resend(caller, { id: event?.id ?? '', endpoint }))
      })
      const codes = await Promise.all(resends)
      await receiving.drain()
      await receiving.stop()
      const resent = codes.filter((code) => code === 'ok').length
      const { deliveries } = await readRows(sandbox.store, sandbox.scope)
      expect(deliveries.map(({ origin }) => origin)).toEqual(['emit', ...Array(resent).fill('resend')])
      expect(deliveries.map(({ status }) => status)).toEqual(Array(1 + resent).fill('succeeded'))
      expect(receiving.received).toEqual(Array(1 + resent).fill({ event: event?.id, body: event?.body }))
      return codes.sort().join()
    },
  },
  {
    id: 'R20',
    sentence: 'the automatic pause and an edit: the pause first, or none for three days more',
    ends: ['edit enabled', 'edit disabled', 'resume enabled'],
    async round({ sandbox, first, second, random, late }) {
      const { id } = await registeredEndpoint(sandbox)
      const registered_ms = sandbox.clock.now()
      accepted(await pay(sandbox, 'tok_test_visa'))
      await failUntilQuiet(sandbox)
      sandbox.clock.advance(registered_ms + three_days_ms - hour_ms - sandbox.clock.now())
      accepted(await pay(sandbox, 'tok_test_visa'))
      sandbox.clock.advance(hour_ms - 1)
      const change = random.pick([{ description: 'raced' }, { status: 'enabled' as const }])
      const editing = late().then(() =>
        first.engine.webhook_endpoints.update(sandbox.caller, { id, ...change }),
      )
      const pausing = async () => {
        await late()
        sandbox.clock.jump(1)
        await (random.below(2) === 0 ? second.engine.reconcile() : attemptDue(second, 'http 503'))
      }
      const [edited] = await Promise.all([editing, pausing()])
      await sandbox.engine.reconcile()
      const { webhook_endpoints, deliveries } = await readRows(sandbox.store, sandbox.scope)
      const status = webhook_endpoints[0]?.status
      // Whoever commits last has seen the other: an edit shows the pause, and a pause after an edit is not due.
      expect(accepted(edited).status).toBe(status)
      if (status === 'disabled') expect(deliveries.at(-1)?.status).toBe('canceled')
      return `${'status' in change ? 'resume' : 'edit'} ${status}`
    },
  },
  {
    id: 'R21',
    sentence:
      'deleting an endpoint while one event is on the wire and another is filed: nothing is sent after',
    ends: [
      'succeeded,none',
      'succeeded,succeeded',
      'succeeded,canceled',
      'canceled,none',
      'canceled,canceled',
    ],
    async round(round) {
      const { sandbox, first, second } = round
      const { id } = await registeredEndpoint(sandbox)
      accepted(await pay(sandbox, 'tok_test_visa'))
      const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
      const input = { amount: 1000, currency: 'usd' as const, payment_method_session }
      const answer = round.random.pick([200, 503])
      const receiving = dispatchingBoth(round, () => answer)
      const deleting = long(round).then(() => first.engine.webhook_endpoints.delete(sandbox.caller, { id }))
      const paying = long(round).then(() =>
        second.engine.payments.create(sandbox.caller, input, { idempotency_key: freshKey() }),
      )
      await Promise.all([deleting.then(accepted), paying.then(accepted), receiving.drain()])
      const deliveries = await afterChange(round, receiving)
      const attempts = deliveries.map(({ attempt_count }) => attempt_count)
      expect(receiving.received).toHaveLength(attempts.reduce((sum, count) => sum + count, 0))
      return [0, 1].map((n) => deliveries[n]?.status ?? 'none').join()
    },
  },
  {
    id: 'R22',
    sentence: 'the seventeenth endpoint, registered twice at once: sixteen are there',
    ends: ['created,webhook_endpoint_limit_reached', 'webhook_endpoint_limit_reached,created'],
    async round({ sandbox, first, second, late }) {
      const input = { url: 'https://receiver.example.com', enabled_events: ['*'] }
      const create = (process: Sandbox) => send(process, 'webhook_endpoints.create', { input })
      for (let n = 0; n < 15; n += 1) await create(sandbox)
      const came = await Promise.all([first, second].map((process) => late().then(() => create(process))))
      expect((await readRows(sandbox.store, sandbox.scope)).webhook_endpoints).toHaveLength(16)
      return came.map(({ code }) => code ?? 'created').join()
    },
  },
]

/** A dispatcher sleeps and wakes in whole turns of the event loop: whoever races it is late by some of those. */
async function long({ random, late }: RaceRound): Promise<void> {
  for (let tick = random.below(12); tick > 0; tick -= 1) await setImmediate()
  await late()
}

/** Once an endpoint is disabled or deleted, nothing of what is filed or falls due later is sent to it (M34, M41). */
async function afterChange(round: RaceRound, receiving: Receiving) {
  const { sandbox } = round
  await receiving.drain()
  const sent = receiving.received.length
  const { deliveries } = await readRows(sandbox.store, sandbox.scope)
  accepted(await pay(sandbox, 'tok_test_visa'))
  await receiving.drain()
  // A claim under way would take a day by this clock, and so have failed; Postgres may still wake a dispatcher after a drain.
  await receiving.stop()
  sandbox.clock.advance(24 * hour_ms)
  const later = dispatchingBoth(round, () => 200)
  await later.drain()
  await later.stop()
  expect([...receiving.received, ...later.received]).toHaveLength(sent)
  expect((await readRows(sandbox.store, sandbox.scope)).deliveries).toEqual(deliveries)
  return deliveries
}
