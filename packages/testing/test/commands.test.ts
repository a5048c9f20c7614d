import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  accepted,
  anyCommand,
  type Command,
  command,
  commands,
  emptyModel,
  expectQuiet,
  openCheckout,
  openSandbox,
  payCheckout,
  type Rows,
  readRows,
} from '../src/index.ts'

const steps_of_a_history = { maxCommands: 80, size: 'max' } as const

/** Runs histories, the same each time, and looks at the rows that each leaves. */
async function follow(steps: fc.Arbitrary<Command>[], numRuns: number, look: (rows: Rows) => void) {
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, steps_of_a_history), async (history) => {
      const real = await opened()
      await fc.asyncModelRun(() => ({ model: emptyModel(), real }), history)
      look(real.rows)
      await expectQuiet(real.sandbox, 'at rest')
    }),
    { numRuns, seed: 1 },
  )
}

/** Every status of every machine that has a model. */
const statuses = {
  payment_method_sessions: ['canceled', 'expired', 'requires_payment_method', 'succeeded'],
  payment_methods: ['active', 'consumed', 'detached', 'expired'],
  payments: ['canceled', 'failed', 'processing', 'returned', 'succeeded'],
  refunds: ['failed', 'pending', 'succeeded'],
  checkout_sessions: ['complete', 'expired', 'open'],
  invoices: ['canceled', 'draft', 'open', 'paid'],
  webhook_endpoints: ['disabled', 'enabled'],
  deliveries: ['canceled', 'exhausted', 'pending', 'succeeded'],
} as const

it('brings every machine into every status', async () => {
  const names = Object.keys(statuses) as (keyof typeof statuses)[]
  const seen = new Map(names.map((name) => [name, new Set<string | null>()]))
  await follow(anyCommand, 100, (rows) => {
    for (const [name, set] of seen) for (const { status } of rows[name]) set.add(status)
  })
  expect(Object.fromEntries([...seen].map(([name, set]) => [name, [...set].sort()]))).toEqual(statuses)
})

it('takes steps of one’s own, made with builders or of other steps', async () => {
  let ordered = 0
  const order = fc.constantFrom('tok_test_visa', 'btok_test_success').map((token) =>
    command(`order(${token})`, async (_model, { sandbox }) => {
      const page = await openCheckout(sandbox, { reference: 'tea' })
      accepted(await payCheckout(sandbox, token, page))
      ordered += 1
    }),
  )
  const givenBackTwice = fc.nat(9).map((drawn) =>
    command(`givenBackTwice(${drawn})`, async (model, running) => {
      await commands.refundPayment({ drawn, amount: 250, key: `first-${drawn}` }).act(model, running)
      await commands.refundPayment({ drawn, amount: 250, key: `second-${drawn}` }).act(model, running)
    }),
  )
  await follow([...anyCommand, order, givenBackTwice], 5, () => {})
  expect(ordered).toBeGreaterThan(0)
})

it('says what differs where something happens behind the model’s back', async () => {
  const { sandbox, rows } = await opened()
  const model = emptyModel()
  await commands.pay({ token: 'tok_test_visa', amount: 1000, key: 'key' }).run(model, { sandbox, rows })
  const [payment] = model.payments
  const behind = command('behind', async (_model, { sandbox: { engine, caller } }) => {
    accepted(
      await engine.refunds.create(caller, { payment: payment?.id ?? '' }, { idempotency_key: 'other' }),
    )
  })
  await expect(behind.run(model, { sandbox, rows })).rejects.toThrow(
    `after behind:\n  amount_refunded of ${payment?.id} is 1000; the model says 0`,
  )
})

async function opened() {
  const sandbox = await openSandbox()
  return { sandbox, rows: await readRows(sandbox.store, sandbox.scope) }
}
