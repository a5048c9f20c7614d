import { describe, expect, it } from 'vitest'
import {
  accepted,
  confirmedSession,
  pay,
  send,
  shownPayment,
} from '../../../testing/src/builders/requests.ts'
import { type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { heldProcessor } from '../../../testing/src/simulation/held-processor.ts'
import { interleaved } from '../../../testing/src/simulation/interleaved.ts'
import type { Notification, Processor } from '../../src/ports/processor.ts'
import { iso } from '../../src/schema/timestamps.ts'
import { race, tally } from './races.ts'

async function announced({ store, scope }: Sandbox, id: string) {
  const { events } = await readRows(store, scope)
  return events.filter(({ subject }) => subject === id).map(({ type }) => type)
}

const keyOf = ({ scope }: Sandbox, id: string) => `${scope.workspace}.${id}`

describe('races of outcomes', () => {
  it('R11 a void in the dashboard and the batch: canceled or succeeded, on both sides alike', () =>
    race(async ({ sandbox, first, second, random }) => {
      const { id } = accepted(await pay(sandbox, 'btok_test_success'))
      sandbox.clock.advance(60_000 - random.below(2))
      const [voided] = await Promise.all([
        first.engine.admin.payments.void(sandbox.scope, { id }),
        second.engine.reconcile(),
      ])
      sandbox.clock.advance(1)
      await sandbox.engine.reconcile()
      const { status } = await shownPayment(sandbox, id)
      const charge = sandbox.processor.ledger.charge(keyOf(sandbox, id))
      expect([status, charge?.state.kind]).toEqual(
        voided.isOk() ? ['canceled', 'voided'] : ['succeeded', 'settled'],
      )
    }))

  it('R13 the reconciler and the request that is charging: one outcome, announced once', () =>
    race(async ({ sandbox, second, random }) => {
      const { id } = await confirmedSession(sandbox, 'tok_test_visa')
      const gate = heldProcessor(sandbox.processor, 'after')
      const { store, processor } = interleaved({ ...sandbox, processor: gate.processor }, random)
      const waiting = sandbox.another({ ...withProcessor(sandbox, processor), store })
      const input = { amount: 1000, currency: 'usd', payment_method_session: id }
      const charging = send(waiting, 'payments.create', { input, key: 'k' })
      await gate.held
      sandbox.clock.jump(60_000)
      const healing = second.engine.reconcile()
      for (let turn = random.below(400); turn > 0; turn -= 1) await Promise.resolve()
      gate.release()
      const [answer] = await Promise.all([charging, healing])
      expect(answer.status).toBe(200)
      const payment = JSON.parse(answer.body)
      expect(await announced(sandbox, payment.id)).toEqual(['payment.succeeded'])
      expect(await send(sandbox, 'payments.create', { input, key: 'k' })).toMatchObject({ body: answer.body })
    }))

  it('R14 two reconcilers at once equal one (M46)', () =>
    race(async ({ sandbox, first, second }) => {
      const ids = []
      for (const token of ['tok_test_unknown_approved', 'btok_test_success', 'btok_test_account_closed']) {
        ids.push(accepted(await pay(sandbox, token)).id)
      }
      sandbox.clock.advance(60_000)
      await Promise.all([first.engine.reconcile(), second.engine.reconcile(), first.engine.reconcile()])
      const after = await readRows(sandbox.store, sandbox.scope)
      await sandbox.engine.reconcile()
      expect(await readRows(sandbox.store, sandbox.scope)).toEqual(after)
      const types = await Promise.all(ids.map((id) => announced(sandbox, id)))
      expect(types.map((of) => of.at(-1))).toEqual([
        'payment.succeeded',
        'payment.succeeded',
        'payment.returned',
      ])
    }))

  it('R15 a settlement batch that is told twice, in two processes: applied once (M52)', () =>
    race(async ({ sandbox, second, random }) => {
      const { id } = accepted(await pay(sandbox, 'btok_test_success'))
      sandbox.clock.advance(60_000)
      const repeating = () => {
        const { store, processor } = interleaved({ ...sandbox, processor: twice(sandbox.processor) }, random)
        return sandbox.another({ ...withProcessor(sandbox, processor), store }).engine
      }
      await Promise.all([repeating().reconcile(), repeating().reconcile(), second.engine.reconcile()])
      expect(await announced(sandbox, id)).toEqual(['payment.processing', 'payment.succeeded'])
    }))

  it('R16 a return that is told before the settlement ends in returned (M52)', () =>
    race(async ({ sandbox, second, random }) => {
      const { id } = accepted(await pay(sandbox, 'btok_test_never_settles'))
      const key = keyOf(sandbox, id)
      const at = iso(sandbox.clock.now())
      sandbox.processor.control.settle(key, at)
      sandbox.processor.control.returnCharge(key, 'R01', at)
      const { store, processor } = interleaved({ ...sandbox, processor: reversed(sandbox.processor) }, random)
      const backwards = sandbox.another({ ...withProcessor(sandbox, processor), store })
      await Promise.all([backwards.engine.reconcile(), second.engine.reconcile()])
      await backwards.engine.reconcile()
      expect((await shownPayment(sandbox, id)).status).toBe('returned')
      const types = tally(await announced(sandbox, id))
      expect(types['payment.returned']).toBe(1)
      expect(types['payment.succeeded'] ?? 0).toBeLessThanOrEqual(1)
    }))

  it('R17 the processor’s callback before our own answer: the create is announced once, in order', () =>
    race(async ({ sandbox, second, random }) => {
      const { id } = await confirmedSession(sandbox, 'btok_test_success')
      const gate = heldProcessor(sandbox.processor, 'after')
      const { store, processor } = interleaved({ ...sandbox, processor: gate.processor }, random)
      const waiting = sandbox.another({ ...withProcessor(sandbox, processor), store })
      const input = { amount: 1000, currency: 'usd', payment_method_session: id }
      const charging = send(waiting, 'payments.create', { input, key: 'k' })
      await gate.held
      const [charge] = sandbox.processor.ledger.charges()
      sandbox.processor.control.settle(charge?.key ?? '', iso(sandbox.clock.now()))
      const hearing = second.engine.reconcile()
      for (let turn = random.below(400); turn > 0; turn -= 1) await Promise.resolve()
      gate.release()
      const [answer] = await Promise.all([charging, hearing])
      expect(answer.status).toBe(200)
      await sandbox.engine.reconcile()
      const payment = JSON.parse(answer.body)
      expect(['processing', 'succeeded']).toContain(payment.status)
      expect(await announced(sandbox, payment.id)).toEqual(['payment.processing', 'payment.succeeded'])
    }))

  it('R22 the seventeenth endpoint, registered twice at once: sixteen are there', () =>
    race(async ({ sandbox, first, second }) => {
      const input = { url: 'https://receiver.example.com', enabled_events: ['*'] }
      for (let n = 0; n < 15; n += 1) await send(sandbox, 'webhook_endpoints.create', { input })
      const came = await Promise.all([
        send(first, 'webhook_endpoints.create', { input }),
        send(second, 'webhook_endpoints.create', { input }),
      ])
      const codes = tally(came.map(({ code }) => code ?? 'created'))
      expect(codes).toEqual({ created: 1, webhook_endpoint_limit_reached: 1 })
      expect((await readRows(sandbox.store, sandbox.scope)).webhook_endpoints).toHaveLength(16)
    }))
})

/** Tells everything it has to tell, and then again from the beginning. */
function twice(processor: Processor): Processor {
  return {
    ...processor,
    async notifications(request) {
      const page = await processor.notifications(request)
      const again = await processor.notifications({ ...request, after: null })
      return { ...page, notifications: [...page.notifications, ...again.notifications] }
    },
  }
}

/** Tells the newest first. */
function reversed(processor: Processor): Processor {
  return {
    ...processor,
    async notifications(request) {
      const page = await processor.notifications(request)
      const notifications: Notification[] = page.notifications.toReversed()
      return { ...page, notifications }
    },
  }
}
