import { expect, it } from 'vitest'
import { accepted, confirmedSession, createdMethod } from '../../../testing/src/builders/requests.ts'
import { newCustomer } from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { seededIds } from '../../../testing/src/random.ts'
import type { Ids } from '../../src/ports/ids.ts'
import type { Processor } from '../../src/ports/processor.ts'

const hour_ms = 3_600_000

// Its key was healed and forgotten in one pass, so that the client's retry charged a second time.
it.each([71, 73, 1_000])(
  'a key whose process died is kept from when it is answered, %i h later',
  async (hours) => {
    const sandbox = await openSandbox()
    const { caller, clock, engine, processor } = sandbox
    const method = await createdMethod(sandbox, 'tok_test_visa', { customer: await newCustomer(sandbox) })
    const input = { amount: 1000, currency: 'usd' as const, payment_method: method.id }
    const charged = Promise.withResolvers<void>()
    const dying = sandbox.another(
      withProcessor(sandbox, {
        ...processor,
        async charge(request) {
          await processor.charge(request)
          charged.resolve()
          return new Promise<never>(() => {})
        },
      }),
    )
    void (async () => dying.engine.payments.create(caller, input, { idempotency_key: 'k' }))()
    await charged.promise
    clock.jump(hours * hour_ms)
    await engine.reconcile()
    clock.jump(71 * hour_ms)
    await engine.reconcile()
    const again = accepted(await engine.payments.create(caller, input, { idempotency_key: 'k' }))
    expect(again.status).toBe('succeeded')
    expect(processor.ledger.charges()).toHaveLength(1)
  },
)

// Its own reconciler asked about it in mid-call and was told that there is no such charge: the card was declined.
it('a request that waits 17 s for a lock and then 15 s for the processor is not taken for dead', async () => {
  const sandbox = await openSandbox()
  const { caller, clock, engine, processor } = sandbox
  const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
  const ids = seededIds(7)
  const late: Ids = {
    ...ids,
    prefixed(kind, ...rest) {
      if (kind === 'payment') clock.jump(17_000)
      return ids.prefixed(kind, ...rest)
    },
  }
  const slow: Processor = {
    ...processor,
    async charge(request) {
      clock.jump(15_000)
      await engine.reconcile()
      return processor.charge(request)
    },
  }
  const asked = sandbox.another({ ...withProcessor(sandbox, slow), ids: late })
  const input = { amount: 1000, currency: 'usd' as const, payment_method_session }
  const paid = accepted(await asked.engine.payments.create(caller, input, { idempotency_key: 'k' }))
  expect(paid.status).toBe('succeeded')
})
