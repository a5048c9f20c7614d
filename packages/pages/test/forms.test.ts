import { describe, expect, it } from 'vitest'
import { heldProcessor } from '../../testing/src/simulation/held-processor.ts'
import { hostedPages } from '../src/hosted-pages.ts'
import { filledIn, hasForm, newCheckout, newInvoice, openTill, payAt, submit, visit } from './till.ts'

describe('a form that is sent twice', () => {
  it.each([newCheckout, newInvoice])(
    'pays once, at the same time or one after the other',
    async (newPage) => {
      const till = await openTill()
      const { url } = await newPage(till)
      const fields = filledIn(await visit(url), 'tok_test_visa')
      const clicks = await Promise.all([submit(url, fields), submit(url, fields), submit(url, fields)])
      clicks.push(await submit(url, fields))
      const sent_on = clicks.filter(({ status }) => status === 303)
      expect(sent_on.length).toBeGreaterThanOrEqual(3)
      expect(till.processor.ledger.charges()).toHaveLength(1)
      expect((await visit(url)).text).toContain('Paid')
    },
  )

  it('is declined once', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const fields = filledIn(await visit(url), 'tok_test_declined')
    for (const _ of [1, 2]) expect((await submit(url, fields)).status).toBe(402)
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })

  it('with other details the second time pays nothing, and is shown again', async () => {
    const till = await openTill()
    const { url } = await newInvoice(till)
    const fields = filledIn(await visit(url), 'tok_test_declined')
    await submit(url, fields)
    const again = await submit(url, { ...fields, token: 'tok_test_visa' })
    expect([again.status, hasForm(again)]).toEqual([400, true])
    expect(again.text).toContain('sent before with other details')
    expect(till.processor.ledger.charges()).toHaveLength(1)
    expect((await submit(url, filledIn(again, 'tok_test_visa'))).status).toBe(303)
  })

  it('to two processes pays once, and is told to wait by the second', async () => {
    const hold: { held?: Promise<void>; release?: () => void } = {}
    const till = await openTill({
      around: (processor) => {
        const holding = heldProcessor(processor, 'before')
        Object.assign(hold, holding)
        return holding.processor
      },
    })
    const { url, id } = await newInvoice(till)
    const other = hostedPages(till.another().engine)
    const fields = filledIn(await visit(url), 'tok_test_visa')
    const first = submit(url, fields)
    await hold.held
    const body = Buffer.from(new URLSearchParams(fields).toString())
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = { method: 'POST', target: new URL(url).pathname, headers, body, remote_address: null }
    const second = await other(request, async () => null)
    expect(second?.status).toBe(303)
    expect((await visit(url)).text).toContain('Your payment is being processed')
    hold.release?.()
    await first
    const invoice = (await till.engine.invoices.retrieve(till.caller, { id }))._unsafeUnwrap()
    expect([invoice.status, till.processor.ledger.charges().length]).toEqual(['paid', 1])
  })
})

describe('a form that was sent from elsewhere', () => {
  it.each([
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://pay.evil.example', 'sec-fetch-site': 'same-site' },
  ])('pays nothing: %j', async (headers) => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const sent = await submit(url, filledIn(await visit(url), 'tok_test_visa'), headers)
    expect([sent.status, hasForm(sent)]).toEqual([403, false])
    expect(till.processor.ledger.charges()).toEqual([])
  })

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['own', 303],
    [null, 303],
  ])('is known by its Origin alone where a browser sends no more (%s)', async (origin, status) => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const body = new URLSearchParams(filledIn(await visit(url), 'tok_test_visa'))
    const headers: Record<string, string> =
      origin === null ? {} : { origin: origin === 'own' ? till.origin : origin }
    expect((await visit(url, { method: 'POST', body, headers })).status).toBe(status)
    expect(till.processor.ledger.charges()).toHaveLength(status === 303 ? 1 : 0)
  })
})

describe('a form that is none of ours', () => {
  it.each([
    ['application/json', '{"token":"tok_test_visa"}', 415],
    ['text/plain', 'token=tok_test_visa', 415],
    ['multipart/form-data; boundary=x', '--x--', 415],
    ['application/x-www-form-urlencoded', '', 400],
    ['application/x-www-form-urlencoded', 'method=cash', 400],
    ['application/x-www-form-urlencoded', '{"method":', 400],
    ['application/x-www-form-urlencoded', '{"method":{"card":1}}', 400],
    ['application/x-www-form-urlencoded', `name=${'x'.repeat(17_000)}`, 413],
    ['application/x-www-form-urlencoded', `name=${'x'.repeat(300_000)}`, 413],
  ])('is refused with the page (%s %#)', async (type, body, status) => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const sent = await visit(url, { method: 'POST', body, headers: { 'content-type': type } })
    expect([sent.status, hasForm(sent), sent.html.includes('role="alert"')]).toEqual([status, true, true])
    expect(till.processor.ledger.charges()).toEqual([])
  })

  it.each([
    { token: '' },
    { name: '  ' },
    { postal_code: '' },
    { key: 'mine' },
    { amount: '1' },
    { amount: '-1250' },
    { amount: '1250.0' },
    { amount: '' },
    { name: 'a\0b' },
    { token: 'tok_test_visa\n' },
  ])('is refused with the page where it says %j', async (typed) => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const sent = await payAt(url, 'tok_test_visa', typed)
    expect([400, 409]).toContain(sent.status)
    expect(hasForm(sent)).toBe(true)
    expect(till.processor.ledger.charges()).toEqual([])
  })

  it('is taken where a parser of the host read it first', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const body = Buffer.from(JSON.stringify(filledIn(await visit(url), 'tok_test_visa')))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = { method: 'POST', target: new URL(url).pathname, headers, body, remote_address: null }
    const sent = await hostedPages(till.engine)(request, async () => null)
    expect(sent?.status).toBe(303)
  })

  it('is refused where it says something twice', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const body = new URLSearchParams(filledIn(await visit(url), 'tok_test_visa'))
    body.append('token', 'tok_test_mastercard')
    expect((await visit(url, { method: 'POST', body })).status).toBe(400)
    expect(till.processor.ledger.charges()).toEqual([])
  })
})

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
    expect(failed.text).toContain('Something failed on our side')
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
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(hasForm(refused)).toBe(true)
    expect((await payAt((await newCheckout(till)).url, 'tok_test_visa')).status).toBe(303)
  })
})
