import { describe, expect, it } from 'vitest'
import { returnAddress } from '../src/return-address.ts'
import { filledIn, newCheckout, newInvoice, openTill, payAt, submit, unescaped, visit } from './till.ts'

/** The markup without its text: the elements and the names of their attributes, in order. */
function skeleton(html: string): string[] {
  return [...html.matchAll(/<(\/?[a-z!][^\s>]*)((?:[^>"]|"[^"]*")*)>/gi)].map(
    ([, name = '', attributes = '']) => `${name} ${attributes.replace(/"[^"]*"/g, '').trim()}`,
  )
}

const hostile = [
  `<script>alert(1)</script><img src=x onerror=alert(1)>`,
  `"><svg onload=alert(1)>' autofocus onfocus='x`,
  `</style></title><!-- </main> ]]> &lt;b&gt; &#60;`,
  'مرحبا بالعالم \u202Eevil\u202C',
  `${'long '.repeat(99)}text`,
  'W'.repeat(500),
  '{CHECKOUT_SESSION_ID} $& {{1+1}} %3Cb%3E',
]

describe('text on a page', () => {
  it.each(hostile)('is shown as text in every field: %j', async (text) => {
    const till = await openTill()
    const { engine, scope } = till
    const plain = { description: 'd', reference: 'r' }
    const benign = await visit((await newCheckout(till, plain)).url)
    const benign_invoice = await visit((await newInvoice(till, { number: 'n' })).url)
    const short = text.slice(0, 100)
    await engine.admin.workspaces.update(scope, { name: text.slice(0, 200) })
    const { url } = await newCheckout(till, { description: text, reference: short })
    const page = await visit(url)
    const invoice = await visit((await newInvoice(till, { number: short })).url)
    expect(skeleton(page.html)).toEqual(skeleton(benign.html))
    expect(skeleton(invoice.html)).toEqual(skeleton(benign_invoice.html))
    for (const said of [text, short, text.slice(0, 200)]) expect(unescaped(page.html)).toContain(said)
    expect(unescaped(invoice.html)).toContain(short)
  })

  it.each(hostile)('is shown as text where a payer typed it: %j', async (text) => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const benign = await payAt(url, 'tok_test_declined')
    const typed = { name: text, postal_code: text }
    const page = await payAt(url, 'tok_test_declined', typed)
    expect(page.status).toBe(402)
    expect(skeleton(page.html)).toEqual(skeleton(benign.html))
    expect(unescaped(page.html)).toContain(`value="${text}"`)
  })
})

describe('every page', () => {
  it('is under a strict policy, kept by nobody, and tells nobody where the payer was', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const invoice = await newInvoice(till)
    const form = await visit(url)
    const answers = [
      form,
      await visit(invoice.url),
      await visit(`${till.origin}/checkout/nothing`),
      await visit(url, { method: 'DELETE' }),
      await submit(url, filledIn(form, 'tok_test_declined')),
      await submit(url, filledIn(form, 'tok_test_visa'), { 'sec-fetch-site': 'cross-site' }),
      await payAt(url, 'tok_test_visa'),
      await visit(`${url}?paid`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 405, 402, 403, 303, 200])
    for (const { headers } of answers) {
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      )
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect([headers.get('set-cookie'), headers.get('access-control-allow-origin')]).toEqual([null, null])
    }
  })

  it('has exactly the style that its policy allows, and neither script nor anything from elsewhere', async () => {
    const till = await openTill()
    const { html, headers } = await visit((await newCheckout(till)).url)
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(style))
    const allowed = `'sha256-${Buffer.from(digest).toString('base64')}'`
    expect(headers.get('content-security-policy')).toContain(allowed)
    expect(html).not.toMatch(
      /<script|<img|<link(?! rel="icon" href="data:,">)|<iframe|\son\w+=|\sstyle=|@import|url\(/i,
    )
    expect(Buffer.byteLength(html)).toBeLessThan(30_000)
  })

  it('names its language and labels every field', async () => {
    const till = await openTill()
    const { html } = await visit((await newCheckout(till)).url)
    expect(html).toContain('<html lang="en" dir="ltr">')
    expect(html.match(/<h1/g)).toHaveLength(1)
    const ids = [...html.matchAll(/<input type="text" id="([\w-]+)"/g)].map(([, id]) => id)
    expect(ids).toHaveLength(6)
    for (const id of ids) expect(html).toContain(`<label for="${id}">`)
    for (const [, id] of html.matchAll(/aria-(?:describedby|labelledby)="([\w-]+)"/g))
      expect(html).toContain(`id="${id}"`)
  })
})

describe('the way back to the merchant', () => {
  it('leads only to the addresses stored with the session', async () => {
    const till = await openTill()
    const { id, url } = await newCheckout(till)
    const query = 'paid&success_url=https://evil.example&cancel_url=https://evil.example'
    const extra = { success_url: 'https://evil.example', cancel_url: 'https://evil.example' }
    const sent = await submit(`${url}?${query}`, { ...filledIn(await visit(url), 'tok_test_visa'), ...extra })
    expect(sent.headers.get('location')).toBe(`${new URL(url).pathname}?paid`)
    const pages = [await visit(`${url}?paid`), await visit(`${url}?${query}`)]
    for (const { html } of pages) {
      expect(html).not.toContain('evil.example')
      expect(html).toContain(`https://shop.example.com/paid?session=${id}`)
    }
  })

  it.each([
    [
      'https://a.example/?id={CHECKOUT_SESSION_ID}&x={CHECKOUT_SESSION_ID}',
      'https://a.example/?id=cs_1&x=cs_1',
    ],
    [' https://a.example/a b"c\n', 'https://a.example/a%20b%22c'],
    ['https://a.example/\'"><script>', "https://a.example/'%22%3E%3Cscript%3E"],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['/somewhere', null],
  ])('is one URL of the web: %j', (stored, href) => {
    expect(returnAddress(stored, 'cs_1')?.href ?? null).toBe(href)
  })
})
