import {
  type Caller,
  createEngine,
  type Engine,
  type EventType,
  type Logger,
  type Result,
} from '@quittance/core'
import { fileLedger, simulatedProcessor } from '@quittance/processor-simulator'
import type { ShopDatabase } from './database.ts'
import { findSetting, keepSetting, notePayment } from './orders.ts'

export interface Payments {
  engine: Engine
  /** On whose behalf the shop itself calls the engine. */
  caller: Caller
  webhook_secret: string
}

export interface PaymentsOptions {
  database: ShopDatabase
  /** At least 32 bytes; kept as long as the database. */
  secret: string
  /** Where customers reach the shop. */
  origin: string
  ledger_file: string
  logger: Logger
}

/** The engine, with a workspace for the shop and an endpoint for its events: created at the first start, then kept. */
export async function openPayments(options: PaymentsOptions): Promise<Payments> {
  const { database, secret, origin, ledger_file, logger } = options
  const engine = createEngine({
    store: database.store,
    secret,
    processors: { sandbox: simulatedProcessor({ ledger: fileLedger(ledger_file) }) },
    publicUrl: origin,
    logger,
    // The webhooks of this example go to this process, over plain http.
    allowInsecureDestinations: true,
    on: { 'checkout_session.completed': (event, { tx }) => notePayment(database.within(tx), event) },
  })
  await engine.migrate()
  const workspace = await openWorkspace(engine, database)
  const caller = await engine.caller({ workspace, livemode: false })
  const webhook_secret = await subscribe(engine, { caller, database, url: `${origin}/webhooks` })
  return { engine, caller, webhook_secret }
}

async function openWorkspace(engine: Engine, { query }: ShopDatabase): Promise<string> {
  const known = await findSetting(query, 'workspace')
  if (known !== undefined) return known
  const { id } = await engine.admin.workspaces.create({ name: 'Shop' })
  return keepSetting(query, 'workspace', id)
}

/** A page is complete once a bank debit is accepted: only the payment says whether there is money. */
const enabled_events: EventType[] = [
  'payment.succeeded',
  'payment.failed',
  'payment.canceled',
  'payment.returned',
]

/** The secret is shown once, when the endpoint is created. A shop whose URL has changed updates its endpoint. */
async function subscribe(
  engine: Engine,
  { caller, database, url }: { caller: Caller; database: ShopDatabase; url: string },
): Promise<string> {
  const id = await findSetting(database.query, 'endpoint')
  const secret = await findSetting(database.query, 'webhook_secret')
  if (id !== undefined && secret !== undefined) {
    // Enabled, because it is paused after days in which nothing was received, as under a wrong URL.
    accepted(await engine.webhook_endpoints.update(caller, { id, url, enabled_events, status: 'enabled' }))
    return secret
  }
  // One transaction: an endpoint whose secret was not kept would send, for days, what nobody can verify.
  const made = await database.transaction(async (query, handle) => {
    const { webhook_endpoints } = engine.withTransaction(handle)
    const { id, secret } = accepted(await webhook_endpoints.create(caller, { url, enabled_events }))
    if ((await keepSetting(query, 'webhook_secret', secret)) !== secret) return null
    await keepSetting(query, 'endpoint', id)
    return secret
  })
  // Null: another process was quicker.
  return made ?? subscribe(engine, { caller, database, url })
}

function accepted<Value>(result: Result<Value, { code: string }>): Value {
  if (result.isErr()) throw new Error(`The shop could not be set up: ${result.error.code}.`)
  return result.value
}
