import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../src/openapi/document.ts'
import { confirmedSession, newCheckout, newEndpoint, newInvoice, newMethod, newRefund } from './purchases.ts'
import { fresh, openShop } from './shop.ts'

type Responses = Record<string, { headers: object }>

const document = openApiDocument() as unknown as {
  paths: Record<string, { post?: { responses: Responses } }>
  components: { responses: Responses }
}
const judge = new Ajv2020({ strict: false, allErrors: true })
formats.default(judge)
judge.addSchema({ ...document, $id: 'openapi' })

/** What an independent validator has against a value, by the part of the document that promises its shape. */
function faults(pointer: string, value: unknown): string[] {
  const validate = judge.compile({ $ref: `openapi#/${pointer}` })
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const escaped = (part: string) =>
  part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
const answerAt = (method: string, path: string, status: number) =>
  `paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`

describe('answers of a running engine, to a validator that is not ours', () => {
  it('are what the document promises', async () => {
    const shop = await openShop()
    const check = async (
      method: string,
      path: string,
      { id = '', ...request }: { id?: string; body?: object; status?: number } = {},
    ) => {
      const reply = await shop.send(method, path.replace('{id}', id), {
        ...(request.body ? { body: request.body } : {}),
        ...(method === 'POST' ? { headers: fresh() } : {}),
      })
      expect(reply.status).toBe(request.status ?? 200)
      expect({ [`${method} ${path}`]: faults(answerAt(method, path, reply.status), reply.body) }).toEqual({
        [`${method} ${path}`]: [],
      })
      return reply.body
    }
    const endpoint = await newEndpoint(shop)
    const invoice = await newInvoice(shop)
    await newCheckout(shop)
    await newRefund(shop)
    const method = await newMethod(shop, { token: 'btok_test_success' })
    for (const path of [
      '/account',
      '/invoices',
      '/customers',
      '/payment-methods',
      '/payments',
      '/refunds',
      '/checkout-sessions',
      '/webhook-endpoints',
      '/events',
    ]) {
      const { data = [] } = await check('GET', path)
      if (path !== '/account') expect(data.length).toBeGreaterThan(0)
      for (const { id } of data) await check('GET', `${path}/{id}`, { id })
    }
    await check('GET', '/invoices/{id}', { id: invoice })
    await check('GET', '/payments/{id}', { id: 'none', status: 404 })
    await check('POST', '/payments', { body: {}, status: 400 })
    const { id: declined } = await confirmedSession(shop, { token: 'tok_test_declined' })
    const body = { amount: 500, currency: 'USD', payment_method_session: declined }
    await check('POST', '/payments', { body, status: 402 })
    await check('POST', '/payments', { body: { amount: 500, currency: 'USD', payment_method: method.id } })
    await check('POST', '/payment-method-sessions', { body: {} })
    const { data: events } = await check('GET', '/events')
    for (const event of events) {
      const sent = `webhooks/${event.type}/post/requestBody/content/application~1json/schema`
      expect(faults(sent, event)).toEqual([])
    }
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['payment.succeeded', 'payment.failed', 'payment.processing', 'refund.succeeded']),
    )
    await check('POST', '/events/{id}/resend', {
      id: events[0]?.id ?? '',
      body: { endpoint: 'none' },
      status: 400,
    })
    await check('DELETE', '/webhook-endpoints/{id}', { id: endpoint.id })
  })

  it('say that they are replays under a header that the document names, refusals too', async () => {
    const shop = await openShop()
    const headersAt = (path: string, status: number) =>
      document.paths[path]?.post?.responses[status]?.headers ?? {}
    const replayed = async (path: string, body: object) => {
      const request = { body, headers: fresh() }
      const first = await shop.send('POST', path, request)
      const again = await shop.send('POST', path, request)
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.status).toBe(first.status)
      expect({ [`${path} ${again.status}`]: Object.keys(headersAt(path, again.status)) }).toEqual({
        [`${path} ${again.status}`]: expect.arrayContaining(['Idempotent-Replayed']),
      })
      return again.status
    }
    const { id } = await confirmedSession(shop, { token: 'tok_test_declined' })
    const body = { amount: 500, currency: 'USD' }
    expect(await replayed('/payments', body)).toBe(400)
    expect(await replayed('/payments', { ...body, payment_method_session: id })).toBe(402)
    expect(await replayed('/payments', { ...body, payment_method: 'none' })).toBe(404)
    for (const status of [401, 403])
      expect(headersAt('/payments', status)).not.toHaveProperty(['Idempotent-Replayed'])
    expect(headersAt('/events/{id}/resend', 409)).toHaveProperty(['Idempotent-Replayed'])
    expect(headersAt('/payment-methods', 409)).not.toHaveProperty(['Idempotent-Replayed'])
    expect(document.components.responses.InternalError?.headers).toHaveProperty(['Idempotent-Replayed'])
  })

  it('would not be, with a field missing or another code', () => {
    expect(faults('components/schemas/Refund', { object: 'refund' })).not.toEqual([])
    const error = { type: 'api_error', code: 'refund_in_flight', message: 'No.', request_id: 'req_1' }
    expect(faults(answerAt('GET', '/account', 401), { error })).not.toEqual([])
  })
})
