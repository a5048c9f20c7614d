import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createHandler } from '../src/handler.ts'
import { toNodeListener } from '../src/node.ts'
import { listen } from './echo.ts'
import { confirmation, confirmPath, newSession } from './purchases.ts'
import { openShop, sender } from './shop.ts'

const forwarded = (given: unknown) => () => given as string

const unfindable: [string, (req: IncomingMessage) => string | null, string][] = [
  ['throws', () => String((undefined as unknown as string).split(',')[0]), "reading 'split'"],
  ['gives a list', forwarded(['203.0.113.9']), '`remoteAddress` gives a text or null.'],
  ['gives a promise', forwarded(Promise.resolve('203.0.113.9')), '`remoteAddress` gives a text or null.'],
]

it.each(unfindable)(
  'a `remoteAddress` that %s is a fault of the request, and logged',
  async (_, find, says) => {
    const { engine, keys, logged } = await openShop()
    const pages = () => null
    const { url } = await listen(toNodeListener(createHandler(engine, { pages }), { remoteAddress: find }))
    const { status, body } = await sender(`${url}/v1`, keys.secret)('GET', '/account')
    expect([status, body.error.code]).toEqual([500, 'internal_error'])
    expect(logged).toEqual([expect.stringContaining(says)])
    expect(logged[0]).toContain(`a request failed {"request_id":"${body.error.request_id}"`)
  },
)

it('so is one of a handler that is given a `Request`', async () => {
  const { engine, keys, logged } = await openShop()
  const remoteAddress = ({ headers }: Request) => (headers.get('x-forwarded-for') as string).trim()
  const request = new Request('https://pay.example.com/v1/account', {
    headers: { authorization: `Bearer ${keys.secret}` },
  })
  const response = await createHandler(engine, { remoteAddress })(request)
  const { error } = (await response.json()) as { error: { request_id: string } }
  expect(logged).toEqual([expect.stringContaining(error.request_id)])
})

it('an address that is not there is recorded as none', async () => {
  const shop = await openShop()
  const remoteAddress = forwarded(undefined)
  const { url } = await listen(toNodeListener(createHandler(shop.engine), { remoteAddress }))
  const session = await newSession(shop, { token: 'btok_test_success' })
  const { body } = await sender(`${url}/v1`, shop.keys.publishable)('POST', confirmPath(session), {
    body: confirmation('btok_test_success'),
  })
  expect(body.ach_authorization).toMatchObject({ ip_address: null })
})
