import { describe, expect, it } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { advance, eventTypesOf, helpersOf } from '../../../testing/src/builders/sales.ts'
import { openSandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from './refusals.ts'

it('a test helper is for a secret key of the sandbox, and does nothing to what is live', async () => {
  const sandbox = await openSandbox()
  const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
  const { id } = accepted(await pay(live, 'tok_test_visa'))
  const { payment, readClock, advanceClock } = helpersOf(sandbox.engine)
  expect(refusal(await payment.chargeback(live.caller, { id }))).toEqual({ code: 'resource_missing' })
  expect((await shownPayment(live, id)).status).toBe('succeeded')
  for (const help of [readClock, () => advanceClock(sandbox.browser, { seconds: 1 })])
    expect(refusal(await help(sandbox.browser, {}))).toEqual({ code: 'publishable_key_not_allowed' })
})

it('moves the clock to no year of five digits, from which there is no way back', async () => {
  const sandbox = await openSandbox()
  const { readClock, advanceClock } = helpersOf(sandbox.engine)
  sandbox.clock.advance(Date.UTC(8999, 11, 31) - sandbox.engine.clock.now())
  const { now } = accepted(await advanceClock(sandbox.caller, { seconds: 60 }))
  expect(now).toMatch(/^8999-12-31T00:01/)
  const refused = await advanceClock(sandbox.caller, { seconds: 86_400 })
  expect(refusal(refused)).toEqual({ code: 'parameter_invalid', param: 'seconds' })
  expect(accepted(await readClock(sandbox.caller, {})).now).toBe(now)
})

describe('a test helper for a card whose charge was not answered', () => {
  it.each([
    ['tok_test_unknown_approved', 'settle', 'succeeded'],
    ['tok_test_unknown_declined', 'fail', 'failed'],
  ] as const)('makes %s %s while it is processing', async (token, step, status) => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, token))
    const made = await helpersOf(sandbox.engine).payment[step](sandbox.caller, { id })
    expect(accepted(made).status).toBe(status)
  })

  // A look-up tells what the processor then takes for news: it was made to happen again, and answered as if it had.
  it.each([
    ['tok_test_unknown_approved', 'settle'],
    ['tok_test_unknown_declined', 'fail'],
  ] as const)('answers conflict for %s once a look-up has told that: %s', async (token, step) => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, token))
    await advance(sandbox, 60)
    const told = await shownPayment(sandbox, id)
    const { payment } = helpersOf(sandbox.engine)
    expect(refusal(await payment[step](sandbox.caller, { id }))).toEqual({ code: 'conflict' })
    expect(await shownPayment(sandbox, id)).toEqual(told)
    expect(await eventTypesOf(sandbox, id)).toHaveLength(2)
  })
})
