import type { EngineOptions, JoinedEngine } from '@quittance/core'
import { registeredEndpoint } from '../builders/deliveries.ts'
import { accepted, createdMethod } from '../builders/requests.ts'
import { openCheckout, shownCheckout } from '../builders/sales.ts'
import { openSandbox, type Sandbox } from '../builders/sandbox.ts'
import type { Host, HostTransaction, OpenedStore } from './open-store.ts'
import { withHost } from './opened.ts'

export const ada = { name: 'Ada Lovelace', email: 'ada@example.com', phone: '' }

interface JoinedSandbox {
  sandbox: Sandbox
  /** An open checkout session. */
  id: string
  /** A card that can be charged. */
  method: string
  host: Host
  transaction: HostTransaction
  joined: JoinedEngine
}

/** An engine with an endpoint for every event, and a transaction of the host that it has joined. */
export async function begin(
  opened: OpenedStore,
  kind: string,
  on: EngineOptions['on'] = {},
): Promise<JoinedSandbox> {
  const { store, host } = withHost(opened)
  const sandbox = await openSandbox({ store, on })
  await registeredEndpoint(sandbox)
  const { id } = await openCheckout(sandbox)
  const { id: method } = await createdMethod(sandbox, 'tok_test_visa')
  const transaction = await host.begin(kind)
  const joined = sandbox.engine.withTransaction(transaction.native)
  return { sandbox, id, method, host, transaction, joined }
}

/** What everyone else sees of the page with this id, of events and of customers. */
export async function seenOutside(sandbox: Sandbox, id: string) {
  const { engine, caller } = sandbox
  const { status } = await shownCheckout(sandbox, id)
  const events = accepted(await engine.events.list(caller, {})).data.length
  const customers = accepted(await engine.customers.list(caller, {})).data.length
  return { status, events, customers }
}
