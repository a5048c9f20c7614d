import {
  createEngine,
  type Engine,
  type EngineOptions,
  type Result,
  type Scope,
  type Store,
} from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'

/** An engine with one workspace, its keys, and a saved card that can be charged again and again. */
export interface Shop {
  engine: Engine
  scope: Scope
  secret_key: string
  payment_method: string
}

export async function openShop(store: Store, options: Partial<EngineOptions> = {}): Promise<Shop> {
  const engine = createEngine({
    store,
    secret: 'a secret of at least thirty-two bytes',
    processors: { sandbox: simulatedProcessor() },
    publicUrl: 'http://127.0.0.1',
    allowInsecureDestinations: true,
    rateLimit: false,
    ...options,
  })
  await engine.migrate()
  const { id } = await engine.admin.workspaces.create({ name: 'Benchmark' })
  const scope: Scope = { workspace: id, livemode: false }
  const { key: secret_key } = must(await engine.admin.keys.create(scope, { type: 'secret' }))
  return { engine, scope, secret_key, payment_method: await savedCard(engine, scope) }
}

/** A customer's card that can be charged again and again. */
export async function savedCard(engine: Engine, scope: Scope): Promise<string> {
  const caller = await engine.caller(scope)
  const contact = { reference: engine.ids.secret(12), name: 'Customer', email: 'c@example.com', phone: '1' }
  const customer = must(await engine.admin.customers.create(scope, contact))
  const session = must(await engine.payment_method_sessions.create(caller, { customer: customer.id }))
  const browser = { ...caller, key: 'publishable' as const, scopes: ['payment_methods:tokenize' as const] }
  const billing_details = { name: 'Customer', postal_code: '94107' }
  const card = { token: 'tok_test_visa' }
  must(await engine.payment_method_sessions.confirm(browser, { id: session.id, card, billing_details }))
  return must(await engine.payment_methods.create(caller, { payment_method_session: session.id })).id
}

export function must<Value, Refusal>(result: Result<Value, Refusal>): Value {
  if (result.isErr()) throw new Error(`refused: ${JSON.stringify(result.error)}`)
  return result.value
}
