import type { EventType } from '@quittance/core'
import { type Json, object, objectsOfEvents, refTo, type Schemas } from './schemas.ts'
import type { SchemaName } from './vocabulary.ts'

/** When each event is filed (specification: Events). */
const events: Record<EventType, string> = {
  'payment.processing': 'The processor has the charge and has not settled or answered it',
  'payment.authorized': 'A charge is approved and not captured; not expected, as every charge is a sale',
  'payment.succeeded': 'A card is captured, or a bank debit is settled and sent to the bank',
  'payment.failed': 'A charge was refused, or never reached the processor',
  'payment.canceled': 'A payment was voided before it settled',
  'payment.returned': 'The bank returned a payment, or it was charged back',
  'refund.pending': 'The processor has the refund and has not confirmed it',
  'refund.succeeded': 'The money is on its way back',
  'refund.failed': 'The processor refused the refund',
  'checkout_session.completed': 'A hosted checkout page took a payment',
  'checkout_session.expired': "A checkout page's time ran out unpaid, or the merchant expired it",
}

const objects: Record<string, SchemaName> = objectsOfEvents

/** The `webhooks` section: the request that a receiver gets for each event type. Header names begin with `brand`. */
export function describeWebhooks(brand: string, { components }: Schemas): Json {
  const event = object(components.Event)
  return Object.fromEntries(
    Object.entries(events).map(([type, summary]) => [
      type,
      { post: describeWebhook(type, { summary, brand, event }) },
    ]),
  )
}

interface About {
  summary: string
  brand: string
  /** The schema of any event. */
  event: Json
}

function describeWebhook(type: string, { summary, brand, event }: About): Json {
  const name = objects[type.split('.')[0] ?? '']
  if (!name) throw new Error(`There is no object that ${type} is about.`)
  // Whole, and not `Event` with something added: many clients would give `data` the objects of all events.
  const data = { type: 'object', properties: { object: refTo(name) }, required: ['object'] }
  const properties = { ...object(event.properties), type: { type: 'string', const: type }, data }
  return {
    operationId: `webhooks.${type}`,
    tags: ['events'],
    summary,
    description: `\`data.object\` is the object as it was when the event was written: read its \`status\` for the state, not the type. Events can arrive twice and out of order: deduplicate on \`id\`.`,
    security: [],
    parameters: signedHeaders(brand),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { ...event, properties } } },
    },
    responses: {
      '2XX': { description: 'Received, within 15 seconds. The body is not read.' },
      400: {
        description:
          'The signature is missing, cannot be parsed, does not match or is older than 300 seconds.',
      },
      default: { description: 'A failed attempt: retried on the schedule, eight attempts in all.' },
    },
  }
}

function signedHeaders(brand: string): Json[] {
  const header = (name: string, schema: Json, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string', ...schema },
  })
  return [
    header(`${brand}-Event-Id`, {}, 'The id of the event, the same on every retry and resend.'),
    header(
      `${brand}-Signature`,
      { pattern: '^t=[0-9]+,v1=[0-9a-f]{64}$' },
      '`t` is the Unix time of the sending. `v1` is the hex HMAC-SHA-256, keyed with the whole endpoint secret, over `t`, a period and the raw body.',
    ),
    header('User-Agent', { const: `${brand}-Webhooks/1` }, 'The webhook sender and its version.'),
  ]
}
