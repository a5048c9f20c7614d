import { describe, expect, it } from 'vitest'
import { hostedPages } from '../src/hosted-pages.ts'
import {
  filledIn,
  hasForm,
  newCheckout,
  newInvoice,
  openTill,
  openTillHolding,
  payAt,
  submit,
  visit,
} from './till.ts'

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
    const number = '4242 4242 4242 4242'
    const again = await submit(url, { ...fields, token: 'tok_test_visa', name: number })
    expect([again.status, hasForm(again), again.html.includes(number)]).toEqual([400, true, false])
    expect(again.text).toContain('already sent, with other details')
    expect(till.processor.ledger.charges()).toHaveLength(1)
    expect((await submit(url, filledIn(again, 'tok_test_visa'))).status).toBe(303)
  })

  it('while the first is on its way is given the same answer', async () => {
    const { till, held, release } = await openHeldTill()
    const { url } = await newCheckout(till)
    const fields = filledIn(await visit(url), 'tok_test_visa')
    const pages = hostedPages(till.engine)
    const first = pages(posted(url, fields), unlimited)
    await held
    const second = pages(posted(url, fields), unlimited)
    // As much work as the second would need to fail on its own.
    for (const _ of [1, 2, 3]) await visit(url)
    release()
    expect([(await first)?.status, (await second)?.status]).toEqual([303, 303])
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })

  it('while its charge is on its way is told of the same refusal', async () => {
    const { held, release, ...till } = await openTillHolding('before')
    const { url } = await newCheckout(till)
    const fields = filledIn(await visit(url), 'tok_test_declined')
    const first = submit(url, fields)
    await held
    const second = submit(url, fields)
    // As much work as the second would need to look at the page on its own.
    for (const _ of [1, 2, 3]) await visit(url)
    release()
    expect([(await first).status, (await second).status]).toEqual([402, 402])
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })

  it.each([
    [newInvoice, ''],
    [newCheckout, '?paid'],
  ])('to two processes pays once, and is told to wait by the second', async (newPage, onward) => {
    const { till, held, release } = await openHeldTill()
    const { url } = await newPage(till)
    const fields = filledIn(await visit(url), 'tok_test_visa')
    const first = submit(url, fields)
    await held
    const second = await hostedPages(till.another().engine)(posted(url, fields), unlimited)
    expect(second?.status).toBe(409)
    expect(second?.body).toContain('Your payment is being processed')
    expect(second?.body).toContain(`href="${new URL(url).pathname}${onward}"`)
    expect(second?.body).not.toContain('<form')
    release()
    await first
    expect((await visit(url)).text).toContain('Paid')
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })
})

const unlimited = async () => null

/** A form as the transport hands it over. */
function posted(url: string, fields: Record<string, string>) {
  const body = Buffer.from(new URLSearchParams(fields).toString())
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', target: new URL(url).pathname, headers, body, remote_address: null }
}

/** Its processor verifies nothing until it is released. */
async function openHeldTill() {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const till = await openTill({
    around: (processor) => ({
      ...processor,
      async verify(request) {
        held.resolve()
        await released.promise
        return processor.verify(request)
      },
    }),
  })
  return { till, held: held.promise, release: () => released.resolve() }
}

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
    const till = await openTill({ folder: '/billing' })
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

  it.each([
    [{ name: '   ' }, 'The name is missing. Nothing was charged.', ['', '02139']],
    [{ postal_code: ' ' }, 'The postal code is missing. Nothing was charged.', ['Ada Lovelace', '']],
    [{ token: '' }, 'Your card or account details are missing.', ['Ada Lovelace', '02139']],
    [{ method: 'cash' }, 'Please choose how to pay.', ['Ada Lovelace', '02139']],
    [{ key: 'mine' }, 'Please use the form on this page.', ['Ada Lovelace', '02139']],
    [{ token: '', name: '4242 4242 4242 4242' }, 'details are missing.', ['', '02139']],
    [{ token: '', name: '４２４２ ４２４２ ４２４２ ４２４２' }, 'details are missing.', ['', '02139']],
    [{ amount: '1', name: '4242 4242 4242 4242' }, 'The amount has changed', ['', '02139']],
  ])('names what is missing, and keeps the rest of what was typed, but no number: %j', async (...row) => {
    const [typed, message, kept] = row
    const till = await openTill()
    const { url } = await newCheckout(till, { payment_method_types: ['card'] })
    const sent = await payAt(url, 'tok_test_visa', typed)
    expect(sent.text).toContain(message)
    expect(sent.html).not.toContain('tok_test_visa"')
    const values = [...sent.html.matchAll(/<input type="text" [^>]* value="([^"]*)">/g)]
    expect(values.map(([, value]) => value)).toEqual(kept)
  })

  it.each(['', 'no', null])('is refused where a bank debit is not authorized (%j)', async (accepted) => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const { accepted: _, ...fields } = filledIn(await visit(url), 'btok_test_success')
    const sent = await submit(url, accepted === null ? fields : { ...fields, accepted })
    expect([sent.status, hasForm(sent)]).toEqual([400, true])
    expect(till.processor.ledger.charges()).toEqual([])
  })

  it('is taken with a tab in a name, as a name is that was copied from a table', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    expect((await payAt(url, 'tok_test_visa', { name: 'Ada\tLovelace' })).status).toBe(303)
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
