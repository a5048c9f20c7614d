import { paymentSteps, refundSteps, type TestHelper, type TestHelpers } from '@quittance/core'

/** A route of the sandbox's test helpers: open to a sandbox secret key with any scope. */
export interface TestHelperRoute {
  method: 'GET' | 'POST'
  path: string
  help: TestHelper<object>
}

/** The test helpers' part of the route table; empty if the engine was made without them. */
export function testHelperRoutes(helpers: TestHelpers | null): TestHelperRoute[] {
  if (helpers === null) return []
  return [
    { method: 'GET', path: '/test-helpers/clock', help: helpers.readClock },
    { method: 'POST', path: '/test-helpers/clock/advance', help: helpers.advanceClock },
    ...paymentSteps.map((step) => ({
      method: 'POST' as const,
      path: `/test-helpers/payments/{id}/${step}`,
      help: helpers.payment[step],
    })),
    ...refundSteps.map((step) => ({
      method: 'POST' as const,
      path: `/test-helpers/refunds/{id}/${step}`,
      help: helpers.refund[step],
    })),
    { method: 'POST', path: '/test-helpers/checkout-sessions/{id}/pay', help: helpers.payCheckoutSession },
  ]
}
