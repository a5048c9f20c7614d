import type { ErrorCase } from './error-case.ts'
import { lastEvent, newEndpoint, newPayment } from './purchases.ts'

export const webhookErrorCases: readonly ErrorCase[] = [
  [
    'webhook_endpoints.create',
    'webhook_endpoint_limit_reached',
    async (shop) => {
      for (let made = 1; made <= 16; made += 1) await newEndpoint(shop)
      return shop.send('POST', '/webhook-endpoints', {
        body: { url: 'https://example.com', enabled_events: ['*'] },
      })
    },
  ],
  ['webhook_endpoints.retrieve', 'resource_missing', ({ send }) => send('GET', '/webhook-endpoints/x')],
  ['webhook_endpoints.update', 'resource_missing', ({ send }) => send('POST', '/webhook-endpoints/x')],
  ['webhook_endpoints.delete', 'resource_missing', ({ send }) => send('DELETE', '/webhook-endpoints/x')],
  ['events.retrieve', 'resource_missing', ({ send }) => send('GET', '/events/x')],
  [
    'events.resend',
    'resource_missing',
    ({ send }) => send('POST', '/events/x/resend', { body: { endpoint: 'x' } }),
  ],
  [
    'events.resend',
    'conflict',
    async (shop) => {
      const { id: endpoint } = await newEndpoint(shop)
      await newPayment(shop)
      const { id } = await lastEvent(shop)
      return shop.send('POST', `/events/${id}/resend`, { body: { endpoint } })
    },
  ],
]
