import { type Caller, createEngine, type Engine, type Logger, type Result } from '@quittance/core'
import { fileLedger, simulatedProcessor } from '@quittance/processor-simulator'
import { sqliteStore } from '@quittance/store-sqlite'
import type { Database } from 'better-sqlite3'
import { notePayment, type Orders } from './orders.ts'

export interface Payments {
  engine: Engine
  /** On whose behalf the shop itself calls the engine. */
  caller: Caller
  webhook_secret: string
}

export interface PaymentsOptions {
  database: Database
  orders: Orders
  /** At least 32 bytes; kept as long as the database. */
  secret: string
  /** Where customers reach the shop. */
  origin: string
  ledger_file: string
  logger: Logger
}

/** The engine, with a workspace for the shop and an endpoint for its events: made at the first start, then kept. */
export async function openPayments(options: PaymentsOptions): Promise<Payments> {
  const { database, orders, secret, origin, ledger_file, logger } = options
  const engine = createEngine({
    // The one line that names a database: another store, another place.
    store: sqliteStore({ database }),
    secret,
    processors: { sandbox: simulatedProcessor({ ledger: fileLedger(ledger_file) }) },
    publicUrl: origin,
    logger,
    // The webhooks of this example go to this process, over plain http.
    allowInsecureDestinations: true,
    on: { 'checkout_session.completed': notePayment },
  })
  await engine.migrate()
  const workspace =
    orders.setting('workspace') ??
    keep(orders, 'workspace', (await engine.admin.workspaces.create({ name: 'Shop' })).id)
  const caller = await engine.caller({ workspace, livemode: false })
  return {
    engine,
    caller,
    webhook_secret: await subscribe(engine, { caller, orders, url: `${origin}/webhooks` }),
  }
}

/** The secret is shown once, when the endpoint is made. A shop that has moved tells the engine where to. */
async function subscribe(
  engine: Engine,
  { caller, orders, url }: { caller: Caller; orders: Orders; url: string },
): Promise<string> {
  const [id, secret] = [orders.setting('endpoint'), orders.setting('webhook_secret')]
  if (id !== undefined && secret !== undefined) {
    accepted(await engine.webhook_endpoints.update(caller, { id, url }))
    return secret
  }
  const enabled_events = ['checkout_session.completed' as const]
  const endpoint = accepted(await engine.webhook_endpoints.create(caller, { url, enabled_events }))
  keep(orders, 'endpoint', endpoint.id)
  return keep(orders, 'webhook_secret', endpoint.secret)
}

function keep(orders: Orders, name: string, value: string): string {
  orders.keepSetting(name, value)
  return value
}

function accepted<Value>(result: Result<Value, { code: string }>): Value {
  if (result.isErr()) throw new Error(`The shop could not be set up: ${result.error.code}.`)
  return result.value
}
