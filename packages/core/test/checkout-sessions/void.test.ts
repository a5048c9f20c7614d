import { expect, it } from 'vitest'
import { simulatedProcessor } from '../../../processor-simulator/src/simulated-processor.ts'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import {
  eventTypesOf,
  openCheckout,
  payByHelper,
  payCheckout,
  shownCheckout,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from '../operations/refusals.ts'

// The page was reopened, and took a second debit (M26): only what the processor has accepted can be voided.
it('a page is complete once its debit is voided, also where nobody had heard that it was accepted', async () => {
  const faults = ({ method }: { method: string }) => (method === 'charge' ? 'throw_after' : 'none')
  const sandbox = await openSandbox({ processor: simulatedProcessor({ faults }) })
  const { id } = await openCheckout(sandbox)
  const { id: payment } = accepted(await payCheckout(sandbox, 'btok_test_success', { id }))
  expect((await shownCheckout(sandbox, id)).status).toBe('open')
  accepted(await sandbox.engine.admin.payments.void(sandbox.scope, { id: payment }))
  expect(await shownCheckout(sandbox, id)).toMatchObject({ status: 'complete', payment })
  expect(refusal(await payByHelper(sandbox, { id, token: 'btok_test_success' })).code).toBe('conflict')
  expect(await eventTypesOf(sandbox, payment)).toEqual(['payment.processing', 'payment.canceled'])
  expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.completed'])
})

it('nothing is voided that is not named by an id', async () => {
  const { engine, scope } = await openSandbox()
  for (const [input, param] of [
    [undefined, undefined],
    [{}, 'id'],
    [{ id: 5 }, 'id'],
    [{ id: 'pay_test_none', reason: 'mistake' }, 'reason'],
  ] as [{ id: string }, string | undefined][])
    expect(refusal(await engine.admin.payments.void(scope, input))).toMatchObject({
      code: 'parameter_invalid',
      ...(param === undefined ? {} : { param }),
    })
})

// It was asked about at its next look-up, a day later, and its invoice could not be paid until then.
it('a void whose answer was lost is found out within minutes', async () => {
  const processor = simulatedProcessor({ settlement: { calendar: 'banking', cutOff: '21:00' } })
  const sandbox = await openSandbox({ processor })
  const { engine, scope, clock } = sandbox
  const { id } = accepted(await pay(sandbox, 'btok_test_success'))
  // Saturday noon; the batch closes on Monday.
  for (let hours = 0; hours < 32; hours += 1) {
    clock.advance(3_600_000)
    await engine.reconcile()
  }
  const lossy = sandbox.another(
    withProcessor(sandbox, {
      ...processor,
      async void(request) {
        await processor.void(request)
        throw new Error('the answer was lost')
      },
    }),
  )
  await expect(async () => await lossy.engine.admin.payments.void(scope, { id })).rejects.toThrow('lost')
  clock.advance(61_000)
  await engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('canceled')
})

it('nothing is voided where the environment has no processor', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_success'))
  const { engine } = sandbox.another({ processors: {} })
  expect(refusal(await engine.admin.payments.void(sandbox.scope, { id })).code).toBe(
    'payment_provider_not_configured',
  )
})
