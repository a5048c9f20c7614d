import { expect } from 'vitest'
import { accepted, pay, send, shownPayment } from '../../../testing/src/builders/requests.ts'
import { eventTypesOf, refund } from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Processor } from '../../src/ports/processor.ts'
import { iso } from '../../src/schema/timestamps.ts'
import type { Race } from './race.ts'

export const races_of_refund_outcomes: Race[] = [
  {
    id: 'R13',
    sentence: 'the reconciler and the request that is refunding: one outcome, announced once',
    ends: ['answered', 'healed'],
    async round({ sandbox, second, over, late }) {
      const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
      const create = (process: Sandbox) =>
        send(process, 'refunds.create', { input: { payment, amount: 300 }, key: 'k' })
      const gate = holding(sandbox.processor)
      const refunding = create(over(gate.processor))
      await gate.held
      sandbox.clock.jump(60_000)
      const healing = second.engine.reconcile()
      await late()
      gate.release()
      const [answer] = await Promise.all([refunding, healing])
      expect(answer.status).toBe(200)
      expect(await eventTypesOf(sandbox, JSON.parse(answer.body).id)).toEqual(['refund.succeeded'])
      expect(await create(sandbox)).toMatchObject({ body: answer.body, replayed: true })
      return answer.replayed ? 'healed' : 'answered'
    },
  },
  {
    id: 'R17',
    sentence: "a refund's callback before our own answer: each state is announced once, in order",
    ends: ['pending', 'succeeded'],
    async round({ sandbox, second, over, late }) {
      const { id: payment } = accepted(await pay(sandbox, 'tok_test_refund_pending'))
      const gate = holding(sandbox.processor)
      const refunding = refund(over(gate.processor), { payment, amount: 300 })
      await gate.held
      const [made] = sandbox.processor.ledger.refunds()
      sandbox.processor.control.succeedRefund(made?.key ?? '', iso(sandbox.clock.now()))
      const hearing = second.engine.reconcile()
      await late()
      gate.release()
      const [answered] = await Promise.all([refunding, hearing])
      const { id, status } = accepted(answered)
      await sandbox.engine.reconcile()
      // The create announces what it answers, and a state that nobody observed is not announced.
      expect(await eventTypesOf(sandbox, id)).toEqual(
        status === 'pending' ? ['refund.pending', 'refund.succeeded'] : ['refund.succeeded'],
      )
      expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(300)
      return status
    },
  },
]

/** A processor that made the refund and holds its answer until it is let go. */
function holding(processor: Processor) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const slow: Processor = {
    ...processor,
    async refund(request) {
      const answer = await processor.refund(request)
      held.resolve()
      await released.promise
      return answer
    },
  }
  return { processor: slow, held: held.promise, release: () => released.resolve() }
}
