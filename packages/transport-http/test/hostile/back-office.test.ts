import { backOfficeCatalogue } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { naughty_strings } from '../../../testing/src/transport/naughty-strings.ts'
import { type Office, openOffice } from '../back-office-server.ts'
import { databases, storesOn } from './stores.ts'

const open = storesOn()

let onboarded = 0

/** An entity that can be onboarded: nobody else has its slug and its e-mail addresses. */
function entity() {
  onboarded += 1
  const email = `ada${onboarded}@example.com`
  return {
    organization: {
      email,
      name: 'Acme',
      slug: `acme-${onboarded}`,
      phoneNumber: '+1 555 0100',
      website: 'https://acme.example',
    },
    ledger: [{ ledgerAPIBaseUrl: 'https://ledger.example', ledgerSiteId: 'acme', token: 'a token' }],
    integrations: [{ serviceTypeId: 'mail', ledgerSiteId: 'acme', configuration: { colour: 'green' } }],
    user: { name: 'Ada', email, password: 'correct horse battery staple' },
  }
}

function sync() {
  return {
    connectionId: 'nobody',
    jobType: 'sync_invoice',
    allInvoices: true,
    invoiceIds: ['a'],
    slackUsername: 'ada',
  }
}

/** Fields that are text and nothing more. */
const free_text = /name$|phoneNumber|website|SiteId|serviceTypeId|colour|token|password/

describe.each(databases)('naughty text in the back office on %s', (name) => {
  it('is kept as it is, or refused by a code of the catalogue, when an entity is onboarded', async () => {
    const office = await openOffice({ store: await open(name) })
    // Each onboarding hashes a password, which is slow on purpose: all fields are filled in at once.
    const places = placesIn(entity()).filter((place) => free_text.test(place.join('.')))
    const texts = Object.entries(naughty_strings).filter((_, n) => n % 4 === (name === 'SQLite' ? 0 : 2))
    for (const [what, text] of texts)
      await tryOut(office, { path: '/back-office/onboard/entity', body: entity(), places, what, text })
    expect(office.logged).toEqual([])
  })

  it('is refused by a code of the catalogue when a sync is asked for', async () => {
    const office = await openOffice({ store: await open(name) })
    for (const place of placesIn(sync())) {
      for (const [what, text] of Object.entries(naughty_strings))
        await tryOut(office, {
          path: '/back-office/sync/historical',
          body: sync(),
          places: [place],
          what,
          text,
        })
    }
    expect(office.logged).toEqual([])
  })
})

interface Trial {
  path: string
  body: object
  places: readonly Place[]
  what: string
  text: string
}

async function tryOut(office: Office, { path, body, places, what, text }: Trial): Promise<void> {
  const sent = places.reduce<unknown>((all, place) => written(all, place, text), body)
  const reply = await office.call('POST', path, { body: Object(sent) })
  const about = `${what}: ${reply.text.slice(0, 300)}`
  expect(reply.status, about).toBeLessThan(500)
  expect(Object.keys(backOfficeCatalogue), about).toContain(reply.body.code)
  for (const place of reply.status === 200 ? places : []) {
    const shown = place.reduce<unknown>((value, step) => Object(value)[step], reply.body.data)
    if (shown !== undefined) expect(shown, about).toBe(text)
  }
}

type Place = readonly string[]

/** Every leaf of a body. */
function placesIn(value: unknown, path: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([step, inner]) => placesIn(inner, [...path, step]))
}

function written(value: unknown, [step, ...rest]: Place, text: string): unknown {
  if (step === undefined) return text
  const inner = written(Object(value)[step], rest, text)
  return Array.isArray(value) ? value.with(Number(step), inner) : { ...Object(value), [step]: inner }
}
