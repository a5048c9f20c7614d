import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Tokenizer } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { createTokenizer } from '../../src/elements/create-tokenizer.ts'
import { elementsScript, serveElementsScript } from '../../src/elements/elements-script.ts'
import { bank_account_frame, card_frame, quittance_elements } from '../../src/elements/scripts.ts'

const parentOrigins = ['https://shop.example', 'http://localhost:3000']
const card = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' }
const account = { type: 'us_bank_account', routing_number: '110000000', account_number: '000123456789' }

/** A tokenizer that answers what it was asked. */
const echo: Tokenizer = {
  card: async (card) => ({ kind: 'token', token: JSON.stringify(card) }),
  bankAccount: async (account) => ({
    kind: 'refused',
    code: 'account_closed',
    message: JSON.stringify(account),
  }),
}

interface Given {
  method?: string
  target?: string
  headers?: Record<string, string>
  body?: unknown
}

function ask({ method = 'POST', target = '/tokens', headers = {}, body = card }: Given, options = {}) {
  const handler = createTokenizer({ tokenizer: echo, parentOrigins, ...options })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const given = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers }
  return handler({ method, target, headers: given, body: Buffer.from(text), remote_address: null })
}

describe('a page for a frame', () => {
  it.each(['/card', '/bank-account', '/card?anything'])(
    '%s is under a strict policy of its own',
    async (target) => {
      const { status, headers, body } = await ask({ method: 'GET', target })
      expect(status).toBe(200)
      const policy = headers['content-security-policy'] ?? ''
      expect(policy).not.toMatch(/unsafe-|\*|https:(?!\/\/shop\.example)|data:|blob:/)
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        `script-src '${hashOf(body, 'script')}'`,
        `style-src '${hashOf(body, 'style')}'`,
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        'frame-ancestors https://shop.example http://localhost:3000',
      ])
      expect(headers).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'origin-agent-cluster': '?1',
        'cross-origin-resource-policy': 'cross-origin',
        'cross-origin-embedder-policy': 'require-corp',
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    },
  )

  it('is nowhere but at its path, and is got and not sent to', async () => {
    expect((await ask({ method: 'GET', target: '/' })).status).toBe(404)
    expect((await ask({ method: 'GET', target: '/__proto__' })).status).toBe(404)
    expect(await ask({ target: '/card' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    expect(await ask({ method: 'GET' })).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect((await ask({ method: 'OPTIONS' })).status).toBe(405)
    const below = { basePath: '/frames/' }
    expect((await ask({ method: 'GET', target: '/frames/card' }, below)).status).toBe(200)
    expect((await ask({ target: '/frames/tokens' }, below)).status).toBe(200)
  })

  it.each([
    'https://shop.example/path',
    'https://*.example',
    '*',
    'http://shop.example',
    'null',
    'file:///',
    '',
  ])('is held by origins, and %j is none', (origin) => {
    expect(() => createTokenizer({ tokenizer: echo, parentOrigins: [origin] })).toThrow('no https origin')
  })

  it('makes tokens of cards and of accounts', () => {
    const { card } = echo
    const refused = '`tokenizer` of createTokenizer is an object with `card`, `bankAccount`.'
    const options = { tokenizer: { card } as typeof echo, parentOrigins: ['https://shop.example'] }
    expect(() => createTokenizer(options)).toThrow(refused)
  })

  it('is held by somebody', () => {
    expect(() => createTokenizer({ tokenizer: echo, parentOrigins: [] })).toThrow('needs the origins')
  })
})

describe('POST /tokens', () => {
  it('answers a token', async () => {
    const { status, headers, body } = await ask({})
    const { type: _, ...typed } = card
    expect([status, JSON.parse(JSON.parse(body).token)]).toEqual([200, typed])
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('answers a refusal in words for the payer', async () => {
    const { status, body } = await ask({ body: account })
    const { type: _, ...typed } = account
    expect([status, JSON.parse(body).error.code]).toEqual([402, 'account_closed'])
    expect(JSON.parse(JSON.parse(body).error.message)).toEqual(typed)
  })

  it.each([
    ['another site’s', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['another port’s', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ['a form’s', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
    ['one too large', { body: { ...card, more: 'x'.repeat(2_048) } }, 413],
    ['no JSON', { body: '{' }, 400],
    ['no object', { body: 'null' }, 400],
    ['of another type', { body: { ...card, type: 'cheque' } }, 400],
    ['a number with a gap', { body: { ...card, number: '4242 4242 4242 4242' } }, 400],
    ['a number that is none', { body: { ...card, number: 4242424242424242 } }, 400],
    ['a month that is none', { body: { ...card, exp_month: 13 } }, 400],
    ['a year without its century', { body: { ...card, exp_year: 34 } }, 400],
    ['a code that is none', { body: { ...card, cvc: '12' } }, 400],
    ['a routing number that is none', { body: { ...account, routing_number: '11000000' } }, 400],
    ['an account number that is none', { body: { ...account, account_number: 'x'.repeat(8) } }, 400],
  ] satisfies [string, Given, number][])('takes no body but a frame’s: %s', async (_what, given, status) => {
    const answer = await ask(given)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body).error.code).toBe('unavailable')
    expect(answer.body).not.toMatch(/\d/)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('no vault')), () => Promise.reject(new Error('no log'))],
    [
      'throws what has an odd stack',
      () => Promise.reject(Object.assign(new Error(), { stack: 5 })),
      () => {},
    ],
  ])('answers 502 where a tokenizer %s, whatever becomes of the line in the log', async (_, card, log) => {
    const logger = { info: log, warn: log, error: log }
    const answer = await ask({}, { tokenizer: { ...echo, card }, logger })
    await new Promise(setImmediate)
    expect(answer.status).toBe(502)
  })

  it('tells of a fault without a word that could repeat what was typed', async () => {
    const logged: unknown[] = []
    const note = (...line: unknown[]) => void logged.push(line)
    const tokenizer: Tokenizer = {
      ...echo,
      card: async ({ number }) => {
        throw new Error(`The vault refused ${number}\n${number}`, { cause: number })
      },
    }
    const answer = await ask({}, { tokenizer, logger: { info: note, warn: note, error: note } })
    expect(answer.status).toBe(502)
    expect(logged).toHaveLength(1)
    expect(JSON.stringify(logged)).toContain('tokenizer.test.ts')
    expect(JSON.stringify(logged) + answer.body).not.toContain('4242')
  })
})

describe('the module of Elements', () => {
  it('is named by its content, which its integrity proves, and kept for good', () => {
    const digest = createHash('sha384').update(elementsScript.source).digest('base64')
    expect(elementsScript.integrity).toBe(`sha384-${digest}`)
    expect(elementsScript.path).toMatch(/^\/elements\/[0-9A-Za-z]{16}\.js$/)
    const { status, headers, body } = serveElementsScript(elementsScript.path) ?? {}
    expect([status, body]).toEqual([200, elementsScript.source])
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
    })
    expect(serveElementsScript('/elements/another.js')).toBeNull()
  })

  it('is with both frames smaller than 16 KB, compressed', () => {
    const all = [quittance_elements, card_frame, bank_account_frame]
    const bytes = all.reduce((sum, script) => sum + gzipSync(script).length, 0)
    expect(bytes).toBeLessThan(16_000)
  })

  it('makes no code and no markup of text', () => {
    for (const script of [quittance_elements, card_frame, bank_account_frame])
      expect(script).not.toMatch(
        /\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc/,
      )
  })
})

function hashOf(html: string, tag: string): string {
  const [, content = ''] = new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`).exec(html) ?? []
  return `sha384-${createHash('sha384').update(content).digest('base64')}`
}
