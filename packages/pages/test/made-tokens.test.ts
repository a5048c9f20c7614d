import { describe, expect, it } from 'vitest'
import { sandboxIn } from '../../testing/src/builders/sandbox.ts'
import { elementsScript } from '../src/elements/elements-script.ts'
import { hostedPages } from '../src/hosted-pages.ts'
import {
  filledIn,
  hasForm,
  newCheckout,
  newInvoice,
  openTill,
  payAt,
  submit,
  type Till,
  visit,
} from './till.ts'

/** The same till, seen from the live environment. */
const liveTill = async (till: Till): Promise<Till> => ({
  ...till,
  ...(await sandboxIn(till, { ...till.scope, livemode: true })),
})

describe('pages that are told of the frames of Elements', () => {
  it('serve the module that their forms name, with its digest, for ever, and to any page', async () => {
    const till = await openTill({ elements: true, folder: '/billing' })
    const { html } = await visit((await newCheckout(till)).url)
    const [, src = '', integrity] =
      /<script type="module" src="([^"]+)" integrity="([^"]+)" crossorigin>/.exec(html) ?? []
    expect(src).toBe(`/billing/checkout${elementsScript.path}`)
    const script = await visit(till.origin + src)
    const digest = await crypto.subtle.digest('SHA-384', Buffer.from(script.html))
    expect(`sha384-${Buffer.from(digest).toString('base64')}`).toBe(integrity)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toContain('immutable')
    expect(script.headers.get('access-control-allow-origin')).toBe('*')
    expect((await visit(till.origin + src, { method: 'POST' })).status).toBe(404)
  })

  it('have one script and nothing else from elsewhere, and only where there is something to fill in', async () => {
    const till = await openTill({ elements: true })
    const { url } = await newCheckout(till)
    const open = await visit(url)
    expect(open.html.match(/<script/g)).toHaveLength(1)
    expect(open.html).not.toMatch(
      /<img|<link(?! rel="icon" href="data:,">)|<iframe|\son\w+=|\sstyle=|@import|url\(/i,
    )
    expect(open.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; script-src http:\S+\.js; frame-src http:\S+; require-trusted-types-for 'script'; trusted-types 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    )
    expect(Buffer.byteLength(open.html)).toBeLessThan(30_000)
    await payAt(url, 'tok_test_visa')
    const paid = await visit(url)
    expect(paid.html).not.toContain('<script')
    expect(paid.headers.get('content-security-policy')).not.toContain('script')
  })

  it('ask nobody to type a token, nor speak of tokens', async () => {
    const till = await openTill({ elements: true })
    const { url } = await newCheckout(till)
    const page = await visit(url)
    expect(page.html).not.toContain('name="token" required')
    const refused = await submit(url, filledIn(page, 'tok_test_unheard_of'))
    expect(refused.text).toContain('Please check what you entered. Nothing was charged.')
    expect([page, refused].map(({ html }) => html.includes('data-answers-form'))).toEqual([false, true])
    for (const { text } of [page, refused]) expect(text).not.toMatch(/token/i)
  })

  it('offer only what there is a frame for', async () => {
    const till = await openTill()
    const pages = hostedPages(till.engine, { elements: { card: 'https://frames.example.com/card' } })
    const { url } = await newInvoice(till)
    const target = new URL(url).pathname
    const request = { method: 'GET', target, headers: {}, body: new Uint8Array(), remote_address: null }
    const page = await pages(request, async () => null)
    expect([page?.body.includes('<quittance-card'), page?.body.includes('US bank account')]).toEqual([
      true,
      false,
    ])
    expect(page?.headers['content-security-policy']).toContain('frame-src https://frames.example.com;')
  })

  it('need an engine', () => {
    expect(() => hostedPages(undefined as never)).toThrow('Hosted pages are those of an engine')
  })

  it.each([{}, { card: 'javascript:alert(1)' }, { card: '/card' }])(
    'need the address of a frame: %j',
    async (elements) => {
      const { engine } = await openTill()
      expect(() => hostedPages(engine, { elements })).toThrow('elements holds')
    },
  )

  it('take live payments, which without Elements are not set up', async () => {
    const sandbox = await openTill({ elements: true })
    const till = await liveTill(sandbox)
    for (const newPage of [newCheckout, newInvoice]) {
      const { url } = await newPage(till)
      const page = await visit(url)
      expect(page.text).not.toContain('Sandbox')
      expect((await submit(url, filledIn(page, 'tok_test_visa'))).status).toBe(303)
    }
    expect(till.live_processor.ledger.charges()).toHaveLength(2)
    expect(till.processor.ledger.charges()).toEqual([])
    const bare = await liveTill(await openTill())
    const page = await visit((await newCheckout(bare)).url)
    expect(page.text).toContain('Card collection is not set up on this page yet.')
    expect([hasForm(page), page.html.includes('<script')]).toEqual([false, false])
  })
})
