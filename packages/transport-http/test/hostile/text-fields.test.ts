import { catalogue } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { naughty_strings } from '../../../testing/src/transport/naughty-strings.ts'
import { routes } from '../../src/routes.ts'
import { fresh, type Reply, type Shop } from '../shop.ts'
import { databases, shopsOn } from './stores.ts'
import { type TextField, textFieldsOf } from './text-fields.ts'
import { type ValidRequest, valid_requests } from './valid-requests.ts'

const open = shopsOn()

const posts = routes.filter(({ method }) => method === 'POST').map(({ operation }) => operation)

/** Where a merchant writes what he likes: of these most are kept. */
const free_text = /^(description|reason|metadata\.a key|billing_details\.name|billing_details\.postal_code)$/

describe.each(databases)('naughty text on %s', (name) => {
  it.each(posts)(
    'is kept as it is, or refused by a code of the catalogue, in every field of %s',
    async (operation) => {
      const make = valid_requests[operation] ?? expect.fail(`no valid request of ${operation} is known here`)
      const shop = await open(name)
      expect((await send(shop, await make(shop))).status).toBe(200)
      for (const field of textFieldsOf(operation)) {
        const kept = await tryAll(shop, { field, make: () => make(shop) })
        if (free_text.test(field.name)) expect(kept, field.name).toBeGreaterThan(45)
      }
    },
  )
})

it('every field of a body is tried, as its schema has it', () => {
  expect(textFieldsOf('checkout_sessions.create').map((field) => field.name)).toEqual([
    'amount',
    'currency',
    'success_url',
    'cancel_url',
    'reference',
    'description',
    'customer_email',
    'customer',
    'payment_method_types[0]',
    'metadata.a key',
    'metadata.[key]',
    'expires_in',
  ])
})

/** Puts every text into the field, and counts what was accepted. */
async function tryAll(shop: Shop, { field, make }: { field: TextField; make: () => Promise<ValidRequest> }) {
  let kept = 0
  let request = await make()
  for (const [what, text] of Object.entries(naughty_strings)) {
    const reply = await send(shop, { ...request, body: field.write(request.body, text) })
    const about = `${what} in ${field.name}: ${reply.text.slice(0, 300)}`
    expect(reply.status, about).toBeLessThan(500)
    if (reply.status !== 200) {
      expect(Object.keys(catalogue), about).toContain(reply.body.error.code)
      continue
    }
    kept += 1
    const shown = field.read(reply.body)
    if (shown !== undefined) expect(shown, about).toBe(text)
    const read = request.readBack && field.read(await request.readBack(reply.body))
    if (read !== undefined) expect(read, `read again: ${about}`).toBe(text)
    // What it took is used up.
    request = await make()
  }
  return kept
}

function send(shop: Shop, { path, body, key }: ValidRequest): Promise<Reply> {
  return shop.send('POST', path, { body, headers: fresh(), ...(key === undefined ? {} : { key }) })
}
