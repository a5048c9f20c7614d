/** What can be made to happen to a payment. */
export const paymentSteps = ['settle', 'fail', 'return', 'chargeback', 'void'] as const
export type PaymentStep = (typeof paymentSteps)[number]

/** What can be made to happen to a refund. */
export const refundSteps = ['succeed', 'fail'] as const
export type RefundStep = (typeof refundSteps)[number]

/** The name of a test helper, as `Engine.execute` takes it. */
export type TestHelperName = `test_helpers.${
  | 'read_clock'
  | 'advance_clock'
  | `payment.${PaymentStep}`
  | `refund.${RefundStep}`
  | 'pay_checkout_session'}`
