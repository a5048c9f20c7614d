import { expect, it } from 'vitest'
import { accepted, confirmedSession, createdMethod, pay, shownPayment } from '../src/builders/requests.ts'
import { openSandbox, sandboxIn } from '../src/builders/sandbox.ts'

it('builds an engine on which a card is charged once, in the processor and in the store', async () => {
  const sandbox = await openSandbox()
  const payment = accepted(await pay(sandbox, 'tok_test_visa', { amount: 2500 }))
  expect(payment).toMatchObject({ status: 'succeeded', amount: 2500, currency: 'USD' })
  expect(await shownPayment(sandbox, payment.id)).toEqual(payment)
  expect(sandbox.processor.ledger.totals()).toEqual({ USD: { captured: 2500, refunded: 0, returned: 0 } })
})

it('builds confirmed sessions and methods of cards and bank accounts', async () => {
  const sandbox = await openSandbox()
  expect((await confirmedSession(sandbox, 'btok_test_success')).us_bank_account?.last4).toBe('6789')
  expect(await createdMethod(sandbox, 'tok_test_amex')).toMatchObject({ usage: 'one_time', status: 'active' })
})

it('comes out the same for the same seed', async () => {
  const first = accepted(await pay(await openSandbox({ seed: 5 }), 'tok_test_visa'))
  const second = accepted(await pay(await openSandbox({ seed: 5 }), 'tok_test_visa'))
  expect(second).toEqual(first)
})

it('opens another engine that sees what the first one wrote', async () => {
  const sandbox = await openSandbox()
  const payment = accepted(await pay(sandbox, 'tok_test_visa'))
  expect(await shownPayment(sandbox.another(), payment.id)).toEqual(payment)
})

it('opens another engine in the workspace and environment from which it was asked for one', async () => {
  const sandbox = await openSandbox()
  const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
  const payment = accepted(await pay(live, 'tok_test_visa'))
  const another = live.another().another()
  expect(another.scope).toEqual(live.scope)
  expect(await shownPayment(another, payment.id)).toEqual(payment)
})

it('opens the same sandbox where an option is undefined', async () => {
  const { engine, scope } = await openSandbox({ ids: undefined, testHelpers: undefined })
  expect([engine.testHelpers !== null, scope]).toEqual([true, (await openSandbox()).scope])
})

it('opens no sandbox with a processor that nobody would ask', async () => {
  const { processor } = await openSandbox()
  const options = { processors: { sandbox: processor } } as never
  await expect(openSandbox(options)).rejects.toThrow('`openSandbox` takes a `processor`')
})

it('says that a token is missing', async () => {
  await expect(pay(await openSandbox(), undefined as never)).rejects.toThrow('A builder takes a token')
})
