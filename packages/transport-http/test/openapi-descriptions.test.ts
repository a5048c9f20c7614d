import { expect, it } from 'vitest'
import { openApiDocument } from '../src/openapi/document.ts'
import { billing_details, checkout, confirmPath, lastEvent, newPayment, newSession } from './purchases.ts'
import { fresh, openShop, type Shop } from './shop.ts'

interface Operation {
  description?: string
  parameters?: { name?: string; description?: string }[]
}

const { paths } = openApiDocument() as unknown as {
  paths: Record<string, { get?: Operation; post?: Operation }>
}

const bank = { payment_method_types: ['us_bank_account'] }

it.each([
  ['/payment-method-sessions', bank, 'amount'],
  ['/payment-method-sessions', { amount: 500 }, 'amount'],
  ['/payment-method-sessions', { currency: 'USD' }, 'currency'],
  ['/payment-method-sessions/{id}/confirm', { billing_details }, 'card'],
  ['/payments', { amount: 500, currency: 'USD' }, 'payment_method'],
  ['/checkout-sessions', { ...checkout, cancel_url: 'http://shop.example.com' }, 'cancel_url'],
  ['/checkout-sessions', { ...checkout, ...bank, currency: 'CAD' }, 'payment_method_types'],
  ['/webhook-endpoints', { url: 'http://shop.example.com', enabled_events: ['*'] }, 'url'],
  ['/events/{id}/resend', { endpoint: 'none' }, 'endpoint'],
])('POST %s refuses %j, and its description names %s', async (path, body, param) => {
  const shop = await openShop()
  const { status, body: answer } = await shop.send('POST', await pathOf(shop, path), {
    body,
    headers: fresh(),
    ...(path.endsWith('/confirm') ? { key: shop.keys.publishable } : {}),
  })
  expect(status).toBe(400)
  expect(answer.error).toMatchObject({ code: 'parameter_invalid', param })
  expect(paths[path]?.post?.description).toContain(`\`${param}\``)
})

/** The path with the id of an object that there is. */
async function pathOf(shop: Shop, path: string): Promise<string> {
  if (path.endsWith('/confirm')) return confirmPath(await newSession(shop))
  if (!path.endsWith('/resend')) return path
  await newPayment(shop)
  return path.replace('{id}', (await lastEvent(shop)).id)
}

it('every list says which way it runs, and whose ids it starts after', () => {
  const cursors = Object.values(paths).flatMap(({ get }) =>
    (get?.parameters ?? []).filter(({ name }) => name === 'starting_after'),
  )
  expect(cursors).toHaveLength(8)
  for (const { description } of cursors) {
    expect(description).toContain('newest first')
    expect(description).toContain('of this list')
  }
})
