import {
  confirmation,
  createdMethod,
  isBankToken,
  openSession,
} from '../../../packages/testing/src/builders/requests.ts'
import { newCustomer } from '../../../packages/testing/src/builders/sales.ts'
import { ask, type Flow } from '../flow.ts'

export const methods: readonly Flow[] = [
  confirm('tok_test_visa', 'confirms a session with a card'),
  confirm('btok_test_success', 'confirms a session with a bank account'),
  {
    sentence: 'detaches a payment method',
    answer: '200 detached',
    keyed: true,
    async prepare(sandbox) {
      const customer = await newCustomer(sandbox)
      return { method: (await createdMethod(sandbox, 'tok_test_visa', { customer })).id }
    },
    run: (process, { method }) =>
      ask(process, 'payment_methods.detach', { input: { id: method }, key: 'detach' }),
  },
]

function confirm(token: string, sentence: string): Flow<'session'> {
  return {
    sentence,
    answer: '200 succeeded',
    keyed: isBankToken(token),
    async prepare(sandbox) {
      return { session: (await openSession(sandbox, token)).id }
    },
    // A key that leads to nothing is let go: as if nobody had asked.
    halfway: [{}],
    // Browsers need no key: what was confirmed with a token can be confirmed again with the same.
    run: (process, { session }) =>
      ask(process, 'payment_method_sessions.confirm', {
        input: confirmation(session, token),
        ...(isBankToken(token) ? { key: 'confirm' } : {}),
      }),
  }
}
