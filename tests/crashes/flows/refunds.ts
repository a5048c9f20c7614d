import { accepted, pay } from '../../../packages/testing/src/builders/requests.ts'
import { refund as refunded } from '../../../packages/testing/src/builders/sales.ts'
import { ask, done, type End, type Flow } from '../flow.ts'

const never_sent: End = {
  answer: '402 refund_failed',
  world: {
    payments: 'succeeded',
    refunds: 'failed',
    events: 'payment.succeeded, refund.failed',
    deliveries: '2 pending',
    refunded: '',
  },
}

export const refunds: readonly Flow[] = [
  refund('tok_test_visa', 'refunds a payment in full', { answer: '200 succeeded' }),
  refund('tok_test_refund_pending', 'refunds a part, which stays pending', {
    answer: '200 pending',
    amount: 400,
  }),
  refund('tok_test_refund_refused', 'refunds what the processor refuses', {
    answer: '402 refund_failed',
    amount: 400,
  }),
  {
    sentence: 'hears that a pending refund has failed',
    answer: 'done',
    keyed: false,
    async prepare(sandbox) {
      const { id: payment } = accepted(await pay(sandbox, 'tok_test_refund_fails'))
      await refunded(sandbox, { payment, amount: 400 })
      sandbox.clock.advance(3_600_000)
      return {}
    },
    async run({ engine }) {
      await engine.reconcile()
      return done
    },
  },
]

function refund(
  token: string,
  sentence: string,
  { answer, amount }: { answer: string; amount?: number },
): Flow<'payment'> {
  return {
    sentence,
    answer,
    keyed: true,
    async prepare(sandbox) {
      return { payment: accepted(await pay(sandbox, token)).id }
    },
    run: (process, { payment }) =>
      ask(process, 'refunds.create', {
        input: { payment, ...(amount === undefined ? {} : { amount }) },
        key: 'refund',
      }),
    ends: [never_sent],
  }
}
