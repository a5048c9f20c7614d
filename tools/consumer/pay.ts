import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEngine, type Event, ok, type Result } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { sqliteStore } from '@quittance/store-sqlite'
import { createHandler, toNodeListener } from '@quittance/transport-http'
import { startDispatcher, verifyWebhook, type WebhookRefusal } from '@quittance/webhooks'

// What a user does first with the installed packages: a payment over HTTP, and its event at a receiver.
const engine = createEngine({
  store: sqliteStore({ filename: 'shop.db' }),
  secret: 'a secret of the host, 32 bytes or more',
  processors: { sandbox: simulatedProcessor() },
  publicUrl: 'http://127.0.0.1',
  allowInsecureDestinations: true,
})
await engine.migrate()
const scope = { workspace: (await engine.admin.workspaces.create({ name: 'Consumer' })).id, livemode: false }
const secret_key = value(await engine.admin.keys.create(scope, { type: 'secret' })).key
const publishable_key = value(await engine.admin.keys.create(scope, { type: 'publishable' })).key

const api = createServer(toNodeListener(createHandler(engine)))
const base_url = `${await listen(api)}/v1`

const arrived = Promise.withResolvers<Result<Event, WebhookRefusal>>()
const receiver = createServer(async (req, res) => {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  arrived.resolve(
    verifyWebhook(Buffer.concat(chunks), String(req.headers['service-signature']), endpoint.secret),
  )
  res.end()
})
const endpoint = await post<{ secret: string }>('/webhook-endpoints', {
  url: await listen(receiver),
  enabled_events: ['payment.succeeded'],
})

const session = await post<{ id: string; client_secret: string }>('/payment-method-sessions', {})
await post(
  `/payment-method-sessions/${session.id}/confirm?client_secret=${session.client_secret}`,
  { card: { token: 'tok_test_visa' }, billing_details: { name: 'Ada Lovelace', postal_code: '94107' } },
  { key: publishable_key },
)
const charge = { amount: 4200, currency: 'usd', payment_method_session: session.id }
const payment = await post<{ id: string; status: string }>('/payments', charge)
assert.equal(payment.status, 'succeeded')

const dispatcher = startDispatcher(engine)
const event = value(await arrived.promise)
assert.equal(event.type, 'payment.succeeded')
assert.equal(event.data.object.id, payment.id)
await dispatcher.stop()
receiver.close()
api.close()
await engine.close()
console.log(`${payment.id} ${payment.status}, and ${event.type} arrived signed`)

async function post<Answer>(path: string, body: object, { key = secret_key } = {}): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    'idempotency-key': path,
    'content-type': 'application/json',
  }
  const response = await fetch(base_url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as Answer
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

function value<Value, Refusal>(result: Result<Value, Refusal>): Value {
  assert.deepEqual(result.isErr() ? result.error : ok(null), ok(null))
  return result._unsafeUnwrap()
}
