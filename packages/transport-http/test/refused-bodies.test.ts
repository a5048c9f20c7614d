import { describe, expect, it } from 'vitest'
import { openShop, refusal } from './shop.ts'

const refused = (param?: string) => ({ status: 400, code: 'parameter_invalid', param })
const bytes = (...values: number[]) => Uint8Array.from(values)
const nested = (depth: number) => `{"metadata":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

describe('a body that cannot be read', () => {
  it.each<[what: string, body: string | Uint8Array]>([
    ['a key given twice', '{"customer":"a","customer":"a"}'],
    ['a key given twice, once escaped', '{"customer":"a","cust\\u006fmer":"b"}'],
    ['a key called __proto__', '{"__proto__":{"customer":"a"}}'],
    ['a key called constructor', '{"constructor":{}}'],
    ['NUL', '{"customer":"a\\u0000b"}'],
    ['a lone surrogate', '{"customer":"\\ud800"}'],
    ['invalid UTF-8', bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['a number beyond the finite', '{"amount":1e400}'],
    ['a number beyond 2^53', '{"amount":9007199254740993}'],
    ['a depth of 33', nested(33)],
    ['256 KiB and one byte', `{"customer":"${'a'.repeat(262_144 - 15)}"}`.padEnd(262_145)],
    ['malformed JSON', '{"customer":'],
    ['blanks only', ' '],
    ['an array', '[]'],
    ['a string', '"customer"'],
    ['null', 'null'],
  ])('is refused without naming a parameter: %s', async (_what, body) => {
    const { send } = await openShop()
    const reply = await send('POST', '/payment-method-sessions', { body })
    expect(refusal(reply)).toEqual(refused())
    expect(reply.body.error.message).toMatch(/\S.*\.$/)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-patch+json',
  ])('is refused as %s', async (content_type) => {
    const { send } = await openShop()
    const headers = { 'content-type': content_type }
    expect(refusal(await send('POST', '/payment-method-sessions', { body: '{}', headers }))).toEqual(
      refused(),
    )
  })

  it('may have 256 KiB and a depth of 32', async () => {
    const { send } = await openShop()
    expect((await send('POST', '/payment-method-sessions', { body: '{}'.padEnd(262_144) })).status).toBe(200)
    const deep = await send('POST', '/payment-method-sessions', { body: nested(32) })
    expect(refusal(deep)).toEqual(refused('metadata'))
  })

  it('is refused on DELETE like anywhere else, and nothing is deleted', async () => {
    const { send } = await openShop()
    const body = { url: 'https://shop.example.com/hooks', enabled_events: ['*'] }
    const { id } = (await send('POST', '/webhook-endpoints', { body })).body
    const path = `/webhook-endpoints/${id}`
    expect(refusal(await send('DELETE', path, { body: { a: 1 } }))).toEqual(refused('a'))
    expect(refusal(await send('DELETE', path, { body: '{' }))).toEqual(refused())
    expect(refusal(await send('DELETE', `${path}?a=1`))).toEqual(refused('a'))
    expect((await send('GET', path)).status).toBe(200)
    expect((await send('DELETE', path, { body: '{}' })).status).toBe(200)
  })

  it('may be empty, which counts as {}', async () => {
    const { send } = await openShop()
    expect((await send('POST', '/payment-method-sessions')).status).toBe(200)
    expect((await send('POST', '/payment-method-sessions', { body: '' })).status).toBe(200)
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset="utf-8"'])(
    'may be sent as %s',
    async (content_type) => {
      const { send } = await openShop()
      const headers = { 'content-type': content_type }
      expect((await send('POST', '/payment-method-sessions', { body: '{}', headers })).status).toBe(200)
    },
  )
})
