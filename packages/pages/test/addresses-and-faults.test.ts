import { once } from 'node:events'
import { get } from 'node:http'
import { describe, expect, it } from 'vitest'
import { filledIn, hasForm, newCheckout, newInvoice, openTill, payAt, submit, visit } from './till.ts'

describe('the address of a page', () => {
  it('opens nothing unless this engine made it for that page', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const invoice = await newInvoice(till)
    const token = url.split('/').at(-1) ?? ''
    const [text = '', proof = ''] = token.split('.')
    const foreign = await newCheckout(await openTill({ secret: 'another secret of at least 32 bytes..' }))
    const tokens = [
      '',
      'x',
      text,
      `${text}.`,
      `${text}.${proof}x`,
      `${text}.${proof}.x`,
      `${text}x.${proof}`,
      `${text}.${proof.slice(0, -1)}`,
      `${token}/`,
      `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
      invoice.url.split('/').at(-1) ?? '',
      foreign.url.split('/').at(-1) ?? '',
    ]
    const answers = await Promise.all(tokens.map((one) => visit(`${till.origin}/checkout/${one}`)))
    for (const { status } of answers) expect(status).toBe(404)
    expect(new Set(answers.map(({ html }) => html)).size).toBe(1)
    expect((await visit(`${till.origin}/pay/${token}`)).status).toBe(404)
  })

  it('is under the public address, whatever the base path of the API', async () => {
    const till = await openTill({ folder: '/billing', handler: { basePath: '/billing/v1' } })
    const { url } = await newCheckout(till)
    expect(url).toContain(`${till.origin}/billing/checkout/`)
    expect((await visit(url)).status).toBe(200)
    expect((await payAt(url, 'tok_test_visa')).status).toBe(303)
    const token = url.split('/').at(-1)
    const elsewhere = await visit(`${till.origin}/checkout/${token}`)
    expect(elsewhere.headers.get('content-type')).toBe('application/json')
    expect(elsewhere.status).toBe(401)
    for (const path of [
      '/billing/checkout',
      '/billing/payments',
      '/billing/v1/checkout/x',
      '/billing/v1/account',
    ])
      expect([path, (await visit(till.origin + path)).status]).toEqual([path, 401])
  })

  it('opens it also where a proxy sends the scheme and the host with it', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const [answer] = await once(get({ port: new URL(url).port, path: url }), 'response')
    answer.resume()
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  })

  it('answers HEAD like GET without a body, and other methods not at all', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const head = await visit(url, { method: 'HEAD' })
    expect([head.status, head.html]).toEqual([200, ''])
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      const refused = await visit(url, { method })
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    }
  })
})

describe('a page where something fails', () => {
  it('lets the payer try again when the processor cannot verify anything, and charges nothing', async () => {
    let down = true
    const till = await openTill({
      around: (processor) => ({
        ...processor,
        verify: (request) => (down ? Promise.reject(new Error('down')) : processor.verify(request)),
      }),
    })
    const { url } = await newCheckout(till)
    const failed = await payAt(url, 'tok_test_visa')
    expect([failed.status, hasForm(failed)]).toEqual([500, true])
    expect(failed.text).toContain('We could not reach the payment service.')
    expect(till.processor.ledger.charges()).toEqual([])
    down = false
    expect((await submit(url, filledIn(failed, 'tok_test_visa'))).status).toBe(303)
  })

  it('answers with a page, and logs the fault without the address', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    till.store.read = () => Promise.reject(new Error('the disk is full'))
    const failed = await visit(url)
    expect(failed.status).toBe(500)
    expect(failed.text).toContain('Something went wrong on our side')
    expect(failed.html).not.toContain('disk')
    expect(till.logged.join()).toContain('the disk is full')
    expect(till.logged.join()).not.toContain(url.split('/').at(-1))
  })

  it('slows card testing down, page by page', async () => {
    const till = await openTill({ rateLimit: { confirmsPerMinute: 2 } })
    const { url } = await newCheckout(till)
    const statuses = []
    for (const _ of [1, 2, 3]) statuses.push((await payAt(url, 'tok_test_declined')).status)
    expect(statuses).toEqual([402, 402, 429])
    const refused = await payAt(url, 'tok_test_declined')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30)
    expect(hasForm(refused)).toBe(true)
    const policy = 'content-security-policy'
    expect(refused.headers.get(policy)).toBe((await visit(url)).headers.get(policy))
    expect((await payAt((await newCheckout(till)).url, 'tok_test_visa')).status).toBe(303)
  })

  it('lets its form load Elements also where it slows card testing down', async () => {
    const { url } = await newCheckout(await openTill({ elements: true, rateLimit: { confirmsPerMinute: 0 } }))
    const shown = await visit(url)
    const refused = await submit(url, filledIn(shown, 'tok_test_visa'))
    const policy = 'content-security-policy'
    expect([refused.status, refused.headers.get(policy)]).toEqual([429, shown.headers.get(policy)])
  })
})
