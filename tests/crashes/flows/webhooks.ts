import { accepted, pay } from '../../../packages/testing/src/builders/requests.ts'
import type { Sandbox } from '../../../packages/testing/src/builders/sandbox.ts'
import { ask, done, type Flow } from '../flow.ts'

export const webhooks: readonly Flow[] = [
  {
    sentence: 'delivers an event',
    answer: 'done',
    keyed: false,
    delivers: true,
    async prepare(sandbox, { receiver }) {
      const secret = await register(sandbox, receiver)
      await pay(sandbox, 'tok_test_visa')
      return { secret }
    },
    async run(process) {
      await process.dispatch()
      return done
    },
  },
  {
    sentence: 'resends an event',
    answer: '200 done',
    keyed: true,
    delivers: true,
    async prepare(sandbox, { receiver }) {
      await pay(sandbox, 'tok_test_visa')
      const secret = await register(sandbox, receiver)
      const { engine, caller } = sandbox
      const events = accepted(await engine.events.list(caller, {})).data
      const endpoints = accepted(await engine.webhook_endpoints.list(caller, {})).data
      return { secret, event: `${events[0]?.id}`, endpoint: `${endpoints[0]?.id}` }
    },
    run: (process, { event, endpoint }) =>
      ask(process, 'events.resend', { input: { id: event, endpoint }, key: 'resend' }),
  },
  {
    sentence: 'registers an endpoint',
    answer: '200 enabled',
    keyed: true,
    prepare: async () => ({}),
    run: (process) =>
      ask(process, 'webhook_endpoints.create', {
        input: { url: 'https://receiver.example.com/second', enabled_events: ['*'] },
        key: 'register',
      }),
  },
  {
    sentence: 'deletes an endpoint with deliveries pending',
    answer: '200 done',
    keyed: false,
    async prepare(sandbox) {
      await pay(sandbox, 'tok_test_visa')
      const { engine, caller } = sandbox
      const { data } = accepted(await engine.webhook_endpoints.list(caller, {}))
      return { endpoint: `${data[0]?.id}` }
    },
    run: (process, { endpoint }) => ask(process, 'webhook_endpoints.delete', { input: { id: endpoint } }),
    // Asked again, it is gone already.
    ends: [{ answer: '200 done' }],
  },
]

/** Answers the secret of an endpoint for everything. */
async function register({ engine, caller }: Sandbox, receiver: string): Promise<string> {
  const input = { url: `${receiver}/hooks`, enabled_events: ['*' as const] }
  return accepted(await engine.webhook_endpoints.create(caller, input)).secret
}
