import { accepted, confirmedSession, pay } from '../../../packages/testing/src/builders/requests.ts'
import { ask, done, type End, type Flow, replyOf } from '../flow.ts'

/** The processor has nothing under the key, and never will: an intent that was not sent fails, and is not sent again. */
const never_sent = {
  payments: 'failed',
  events: 'payment.failed',
  deliveries: 'pending',
  charged: '',
}
const card_never_sent: End = {
  answer: '402 card_declined',
  world: { ...never_sent, payment_methods: 'card active' },
}

const debit_never_sent: End = {
  answer: '402 card_declined',
  world: { ...never_sent, payment_methods: 'us_bank_account active' },
}

export const charges: readonly Flow[] = [
  charge('tok_test_visa', 'charges a card', '200 succeeded'),
  charge('tok_test_declined', 'charges a card that is declined', '402 card_declined'),
  charge('tok_test_unknown_approved', 'charges a card and is not answered', '200 processing', [
    card_never_sent,
    // Nobody saw it processing: the first that is known of it is how it ended.
    { answer: '200 succeeded', world: { events: 'payment.succeeded', deliveries: 'pending' } },
  ]),
  charge('tok_test_unreachable', 'charges a card and does not reach the processor', '402 card_declined', []),
  charge('btok_test_success', 'debits a bank account', '200 processing', [
    debit_never_sent,
    { answer: '200 succeeded' },
  ]),
  charge('btok_test_refused', 'debits a bank account that will refuse', '200 processing', [
    debit_never_sent,
    {
      answer: '402 bank_account_verification_failed',
      world: { events: 'payment.failed', deliveries: 'pending' },
    },
  ]),
  batch('btok_test_success', 'hears of a settled debit', 60_000),
  batch('btok_test_account_closed', 'hears of a debit that the bank returns', 60_000),
  batch('btok_test_late_return', 'hears of a settlement and its return at once', 3 * 86_400_000),
  batch('tok_test_chargeback', 'hears of a chargeback', 3 * 86_400_000),
  voidDebit(),
]

function charge(
  token: string,
  sentence: string,
  answer: string,
  ends: readonly End[] = [card_never_sent],
): Flow<'session'> {
  return {
    sentence,
    answer,
    keyed: true,
    async prepare(sandbox) {
      return { session: (await confirmedSession(sandbox, token)).id }
    },
    run: (process, { session }) =>
      ask(process, 'payments.create', {
        input: { amount: 1000, currency: 'usd', payment_method_session: session },
        key: 'charge',
      }),
    ends,
  }
}

function voidDebit(): Flow<'payment'> {
  return {
    sentence: 'voids a debit before its batch',
    answer: 'done',
    keyed: false,
    async prepare(sandbox) {
      return { payment: accepted(await pay(sandbox, 'btok_test_success')).id }
    },
    run: async ({ engine, scope }, { payment }) =>
      replyOf(await engine.admin.payments.void(scope, { id: payment })),
    ends: [
      { answer: 'done' },
      { answer: 'conflict' },
      // Asked for before the death and once more after it: the audit log has both.
      { answer: 'done', world: { audit_entries: 'workspaces.create, 2 payments.void' } },
      // Nothing was stopped, and the next who asks comes after the batch.
      ...['workspaces.create', 'workspaces.create, payments.void'].map((audit_entries) => ({
        answer: 'conflict',
        world: {
          payments: 'succeeded',
          events: 'payment.processing, payment.succeeded',
          audit_entries,
          charged: 'settled 1000',
        },
      })),
    ],
  }
}

/** What the processor has to tell after a while. */
function batch(token: string, sentence: string, after_ms: number): Flow {
  return {
    sentence,
    answer: 'done',
    keyed: false,
    async prepare(sandbox) {
      await pay(sandbox, token)
      sandbox.clock.advance(after_ms)
      return {}
    },
    async run({ engine }) {
      await engine.reconcile()
      return done
    },
  }
}
