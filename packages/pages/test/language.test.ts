import { describe, expect, it } from 'vitest'
import { day, languageOf, money } from '../src/language.ts'
import { en } from '../src/texts/en.ts'
import { es } from '../src/texts/es.ts'
import { fr } from '../src/texts/fr.ts'
import { newCheckout, newInvoice, openTill, payAt, visit } from './till.ts'

const accepting = (accepted: string) =>
  languageOf({
    method: 'GET',
    target: '/',
    headers: { 'accept-language': accepted },
    body: new Uint8Array(),
    remote_address: null,
  })

describe('the language of a page', () => {
  it.each([
    ['', 'en'],
    ['de,ja;q=0.5', 'en'],
    ['*', 'en'],
    ['fr', 'fr'],
    ['FR-ca', 'fr-CA'],
    ['es-419,es;q=0.9', 'es-419'],
    ['de, en;q=0.4, fr;q=0.7', 'fr'],
    ['fr;q=0, es;q=0.1', 'es'],
    ['fr;q=0', 'en'],
    ['fr-CA-x-private, es', 'es'],
    [`${'x,'.repeat(4000)}fr`, 'en'],
    ['fr"><script>', 'en'],
  ])('is the payer’s first that the pages have: %j', (accepted, tag) => {
    expect(accepting(accepted).tag).toBe(tag)
  })

  it('is that of its words, its amounts and its dates', async () => {
    const till = await openTill()
    const invoice = await newInvoice(till, { total: 125_000 })
    const headers = { 'accept-language': 'fr-CA' }
    const page = await visit(invoice.url, { headers })
    expect(page.html).toContain('<html lang="fr-CA" dir="ltr">')
    for (const part of ['Facture INV-7', 'Échéance 14 février 2026', 'Reste dû', 'Nom sur la carte'])
      expect(page.text).toContain(part)
    expect(page.text).toContain(money(125_000, 'USD', accepting('fr-CA')).replace(/\s/g, ' '))
    const { url } = await newCheckout(till)
    await payAt(url, 'tok_test_visa')
    expect((await visit(url, { headers: { 'accept-language': 'es' } })).text).toContain(
      'Esto ya se había pagado.',
    )
    expect((await visit(`${till.origin}/pay/x`, { headers })).text).toContain('Cette page n’existe pas')
  })

  it('leaves the authorization of a debit as it is recorded', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const { html } = await visit(url, { headers: { 'accept-language': 'es' } })
    expect(html).toContain('lang="en">I authorize the merchant')
  })

  it.each([
    ['en', '$1,234.50 USD', 'January 31, 2026'],
    ['en-GB', '$1,234.50 USD', '31 January 2026'],
    ['fr', '1 234,50 $ USD', '31 janvier 2026'],
    ['es', '$1,234.50 USD', '31 de enero de 2026'],
    ['es-ES', '1234,50 $ USD', '31 de enero de 2026'],
  ])('writes amounts and dates as its readers do: %s', (tag, amount, date) => {
    const language = accepting(tag)
    expect(money(123_450, 'USD', language).replace(/\s/g, ' ')).toBe(amount)
    expect(day('2026-01-31', language)).toBe(date)
  })

  it('is the same all through: no text is left in another language', () => {
    const said = (texts: object) => Object.values(texts).filter((text) => typeof text === 'string')
    // Words that are spelled alike.
    const alike = ['Total']
    for (const other of [said(fr), said(es)])
      expect(said(en).filter((text) => other.includes(text) && !alike.includes(text))).toEqual([])
  })
})
