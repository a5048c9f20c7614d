import { paymentSteps, refundSteps, type TestHelperName } from '@quittance/core'
import type { Route } from './routes.ts'

/** A route of the sandbox's test helpers: open to a sandbox secret key with any scope. */
interface TestHelperRoute {
  method: 'GET' | 'POST'
  path: string
  helper: TestHelperName
}

export type AnyRoute = Route | TestHelperRoute

/** The test helpers' part of the route table, for an engine that was made with them. */
export const testHelperRoutes: readonly TestHelperRoute[] = [
  { method: 'GET', path: '/test-helpers/clock', helper: 'test_helpers.read_clock' },
  { method: 'POST', path: '/test-helpers/clock/advance', helper: 'test_helpers.advance_clock' },
  ...paymentSteps.map((step) => ({
    method: 'POST' as const,
    path: `/test-helpers/payments/{id}/${step}`,
    helper: `test_helpers.payment.${step}` as const,
  })),
  ...refundSteps.map((step) => ({
    method: 'POST' as const,
    path: `/test-helpers/refunds/{id}/${step}`,
    helper: `test_helpers.refund.${step}` as const,
  })),
  {
    method: 'POST',
    path: '/test-helpers/checkout-sessions/{id}/pay',
    helper: 'test_helpers.pay_checkout_session',
  },
]
