import type { Caller, Engine } from '@quittance/core'
import { accepted, confirmation } from '@quittance/testing'
import { browserOf } from '../../../packages/testing/src/builders/sandbox.ts'
import type { Receiver } from './receiver.ts'

/** The cards of every workspace: approved, declined, unreachable, unanswered; with refunds at once, late or never. */
const card_tokens = [
  'tok_test_visa',
  'tok_test_declined',
  'tok_test_insufficient_funds',
  'tok_test_unreachable',
  'tok_test_unknown_approved',
  'tok_test_refund_pending',
  'tok_test_refund_fails',
  'tok_test_refund_refused',
] as const

/** A workspace with an endpoint for every event, and saved cards that can be charged again and again. */
export interface Workspace {
  id: string
  /** A saved card by its test token. */
  card(token: string): string
}

export async function openWorkspaces(
  engine: Engine,
  receiver: Receiver,
  count: number,
): Promise<Workspace[]> {
  const opened: Workspace[] = []
  for (let index = 0; index < count; index += 1) opened.push(await openWorkspace(engine, receiver))
  return opened
}

async function openWorkspace(engine: Engine, receiver: Receiver): Promise<Workspace> {
  const { id } = await engine.admin.workspaces.create({ name: 'Merchant' })
  const caller = await engine.caller({ workspace: id, livemode: false })
  const endpoint = accepted(
    await engine.webhook_endpoints.create(caller, { url: receiver.url(id), enabled_events: ['*'] }),
  )
  receiver.expectSignedWith(id, endpoint.secret)
  const cards = new Map<string, string>()
  for (const token of card_tokens) cards.set(token, await savedCard(engine, caller, token))
  return {
    id,
    card(token) {
      const card = cards.get(token)
      if (card === undefined) throw new Error(`no card was saved for ${token}`)
      return card
    },
  }
}

async function savedCard(engine: Engine, caller: Caller, token: string): Promise<string> {
  const contact = { reference: token, name: 'Ada', email: 'ada@example.com', phone: '+1 555 0100' }
  const scope = { workspace: caller.workspace.id, livemode: false }
  const customer = accepted(await engine.admin.customers.create(scope, contact))
  const session = accepted(await engine.payment_method_sessions.create(caller, { customer: customer.id }))
  accepted(await engine.payment_method_sessions.confirm(browserOf(caller), confirmation(session.id, token)))
  return accepted(await engine.payment_methods.create(caller, { payment_method_session: session.id })).id
}
