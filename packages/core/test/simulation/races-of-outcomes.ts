import { expect } from 'vitest'
import {
  accepted,
  confirmedSession,
  pay,
  send,
  shownPayment,
} from '../../../testing/src/builders/requests.ts'
import { eventTypesOf } from '../../../testing/src/builders/sales.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { heldProcessor } from '../../../testing/src/ports/held-processor.ts'
import type { Notification, Processor } from '../../src/ports/processor.ts'
import { iso } from '../../src/schema/timestamps.ts'
import type { Race } from './race.ts'
import { codeOf, processorKeyOf } from './races-outcome.ts'

export const races_of_outcomes: Race[] = [
  {
    id: 'R11',
    sentence: 'a void in the dashboard and the batch: canceled or succeeded, on both sides alike',
    ends: ['ok canceled voided', 'conflict succeeded settled'],
    async round({ sandbox, first, second, random, late }) {
      const { id } = accepted(await pay(sandbox, 'btok_test_success'))
      sandbox.clock.advance(60_000 - random.below(2))
      const [voided] = await Promise.all([
        late().then(() => first.engine.admin.payments.void(sandbox.scope, { id })),
        second.engine.reconcile(),
      ])
      sandbox.clock.advance(1)
      await sandbox.engine.reconcile()
      const { status } = await shownPayment(sandbox, id)
      const charge = sandbox.processor.ledger.charge(processorKeyOf(sandbox, id))
      return `${codeOf(voided)} ${status} ${charge?.state.kind}`
    },
  },
  {
    id: 'R13',
    sentence: 'the reconciler and the request that is charging: one outcome, announced once',
    ends: ['answered', 'healed'],
    async round({ sandbox, second, over, late }) {
      const { id } = await confirmedSession(sandbox, 'tok_test_visa')
      const gate = heldProcessor(sandbox.processor, 'after')
      const input = { amount: 1000, currency: 'usd', payment_method_session: id }
      const charging = send(over(gate.processor), 'payments.create', { input, key: 'k' })
      await gate.held
      sandbox.clock.jump(60_000)
      const healing = second.engine.reconcile()
      // Healing takes about twice the turns of a request.
      for (let pause = 0; pause < 3; pause += 1) await late()
      gate.release()
      const [answer] = await Promise.all([charging, healing])
      expect(answer.status).toBe(200)
      expect(await eventTypesOf(sandbox, JSON.parse(answer.body).id)).toEqual(['payment.succeeded'])
      expect(await send(sandbox, 'payments.create', { input, key: 'k' })).toMatchObject({ body: answer.body })
      return answer.replayed ? 'healed' : 'answered'
    },
  },
  {
    id: 'R14',
    sentence: 'three reconcilers at once equal one (M46)',
    ends: ['payment.succeeded,payment.succeeded,payment.returned'],
    async round({ sandbox, first, second, late }) {
      const ids: string[] = []
      for (const token of ['tok_test_unknown_approved', 'btok_test_success', 'btok_test_account_closed']) {
        ids.push(accepted(await pay(sandbox, token)).id)
      }
      sandbox.clock.advance(60_000)
      await Promise.all([first, second, first].map(({ engine }) => late().then(() => engine.reconcile())))
      const after = await readRows(sandbox.store, sandbox.scope)
      await sandbox.engine.reconcile()
      expect(await readRows(sandbox.store, sandbox.scope)).toEqual(after)
      const types = await Promise.all(ids.map((id) => eventTypesOf(sandbox, id)))
      for (const [begun, ...moved] of types) expect([begun, moved.length]).toEqual(['payment.processing', 1])
      return types.map((of) => of.at(-1)).join()
    },
  },
  {
    id: 'R15',
    sentence: 'a settlement batch that is told twice, in two processes: applied once (M52)',
    ends: ['payment.processing,payment.succeeded'],
    async round({ sandbox, second, over, late }) {
      const { id } = accepted(await pay(sandbox, 'btok_test_success'))
      sandbox.clock.advance(60_000)
      const hearing = [over(twice(sandbox.processor)), over(twice(sandbox.processor)), second]
      await Promise.all(hearing.map(({ engine }) => late().then(() => engine.reconcile())))
      return (await eventTypesOf(sandbox, id)).join()
    },
  },
  {
    id: 'R16',
    sentence: 'a return that is told before the settlement ends in returned (M52)',
    ends: ['payment.processing,payment.returned', 'payment.processing,payment.succeeded,payment.returned'],
    async round({ sandbox, second, over, late }) {
      const { id } = accepted(await pay(sandbox, 'btok_test_never_settles'))
      const key = processorKeyOf(sandbox, id)
      const at = iso(sandbox.clock.now())
      sandbox.processor.control.settle(key, at)
      sandbox.processor.control.returnCharge(key, 'R01', at)
      const backwards = over(reversed(sandbox.processor))
      await Promise.all([backwards, second].map(({ engine }) => late().then(() => engine.reconcile())))
      await backwards.engine.reconcile()
      expect((await shownPayment(sandbox, id)).status).toBe('returned')
      return (await eventTypesOf(sandbox, id)).join()
    },
  },
  {
    id: 'R17',
    sentence: "the processor's callback before our own answer: the create is announced once, in order",
    ends: ['processing', 'succeeded'],
    async round({ sandbox, second, over, late }) {
      const { id } = await confirmedSession(sandbox, 'btok_test_success')
      const gate = heldProcessor(sandbox.processor, 'after')
      const input = { amount: 1000, currency: 'usd', payment_method_session: id }
      const charging = send(over(gate.processor), 'payments.create', { input, key: 'k' })
      await gate.held
      const [charge] = sandbox.processor.ledger.charges()
      sandbox.processor.control.settle(charge?.key ?? '', iso(sandbox.clock.now()))
      const hearing = second.engine.reconcile()
      await late()
      gate.release()
      const [answer] = await Promise.all([charging, hearing])
      expect(answer.status).toBe(200)
      await sandbox.engine.reconcile()
      const payment = JSON.parse(answer.body)
      expect(await eventTypesOf(sandbox, payment.id)).toEqual(['payment.processing', 'payment.succeeded'])
      return payment.status
    },
  },
]

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
