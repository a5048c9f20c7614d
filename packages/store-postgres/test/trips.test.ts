import { type Caller, createEngine, type Engine } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postgresStore } from '../src/postgres-store.ts'
import { type CuttingProxy, cuttingProxy } from './cutting-proxy.ts'
import { testDatabase } from './database.ts'

const database = testDatabase()
let proxy: CuttingProxy
let engine: Engine
let caller: Caller
let schema: string

/** A trip costs the process more than the statements that go with it. */
describe('trips to Postgres', () => {
  beforeEach(async () => {
    proxy = await cuttingProxy(database().connectionString)
    schema = database().schema()
    const { connectionString } = proxy
    engine = createEngine({
      store: postgresStore({ connectionString, connections: 1, notify: false, schema }),
      secret: 'the secret of an engine far from its store',
      processors: { sandbox: simulatedProcessor() },
      publicUrl: 'https://pay.example.com',
    })
    await engine.migrate()
    const { id: workspace } = await engine.admin.workspaces.create({ name: 'Acme' })
    caller = await engine.caller({ workspace, livemode: false })
  })
  afterEach(async () => {
    await engine.close()
    await proxy.close()
    await database().drop(schema)
  })

  it('are six for a payment: three for its intent, three for its outcome', async () => {
    const payment_method = await savedCard()
    const { customer } = (
      await engine.payment_methods.retrieve(caller, { id: payment_method })
    )._unsafeUnwrap()
    const pay = async (idempotency_key: string) => {
      const terms = { amount: 1_000, currency: 'USD', payment_method, customer: customer ?? '' } as const
      ;(await engine.payments.create(caller, terms, { idempotency_key }))._unsafeUnwrap()
    }
    await pay('first')
    expect(await trips(() => pay('second'))).toBe(6)
  })

  it('are one for all reads that wait for the same connection', async () => {
    const payment_method = await savedCard()
    const read = async () => {
      const found = await engine.payment_methods.retrieve(caller, { id: payment_method })
      expect(found._unsafeUnwrap().id).toBe(payment_method)
    }
    expect(await trips(() => Promise.all(Array.from({ length: 10 }, read)))).toBe(1)
    expect(await trips(() => Promise.all(Array.from({ length: 20 }, read)))).toBe(2)
  })

  it('are one for a claim and two for the outcomes of all that it took', async () => {
    await tenDeliveries()
    let claimed = await engine.deliveries.claim(1)
    expect(await trips(async () => (claimed = [...claimed, ...(await engine.deliveries.claim(9))]))).toBe(1)
    expect(claimed).toHaveLength(10)
    const at = new Date(engine.clock.now()).toISOString()
    const attempt = { started_at: at, ended_at: at, response_status: 200, error: null }
    const outcomes = claimed.map((delivery) => ({ delivery, attempt }))
    expect(await trips(() => engine.deliveries.record(outcomes))).toBe(2)
    expect(await engine.deliveries.nextDueAt()).toBe(null)
  })

  it('are five to disable an endpoint, however much was pending for it', async () => {
    const id = await tenDeliveries()
    const disable = async () =>
      (await engine.webhook_endpoints.update(caller, { id, status: 'disabled' }))._unsafeUnwrap()
    expect(await trips(disable)).toBe(5)
    expect(await engine.deliveries.nextDueAt()).toBe(null)
  })
})

/** Due at once; answers to which endpoint. */
async function tenDeliveries(): Promise<string> {
  const payment_method = await savedCard()
  const input = { url: 'https://hooks.example.com/hook', enabled_events: ['*' as const] }
  const { id } = (await engine.webhook_endpoints.create(caller, input))._unsafeUnwrap()
  for (let paid = 0; paid < 10; paid += 1) {
    const terms = { amount: 1_000, currency: 'USD', payment_method } as const
    ;(await engine.payments.create(caller, terms, { idempotency_key: `${paid}` }))._unsafeUnwrap()
  }
  return id
}

async function trips(run: () => Promise<unknown>): Promise<number> {
  const before = proxy.trips
  await run()
  return proxy.trips - before
}

async function savedCard(): Promise<string> {
  const contact = { reference: 'C-1', name: 'Customer', email: 'c@example.com', phone: '1' }
  const scope = { workspace: caller.workspace.id, livemode: false }
  const { id: customer } = (await engine.admin.customers.create(scope, contact))._unsafeUnwrap()
  const session = (await engine.payment_method_sessions.create(caller, { customer }))._unsafeUnwrap().id
  const browser: Caller = { ...caller, key: 'publishable', scopes: ['payment_methods:tokenize'] }
  const billing_details = { name: 'Customer', postal_code: '94107' }
  const confirm = { id: session, card: { token: 'tok_test_visa' }, billing_details }
  ;(await engine.payment_method_sessions.confirm(browser, confirm))._unsafeUnwrap()
  return (await engine.payment_methods.create(caller, { payment_method_session: session }))._unsafeUnwrap().id
}
