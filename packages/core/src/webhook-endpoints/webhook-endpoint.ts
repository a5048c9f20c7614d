import { z } from 'zod'
import { eventType } from '../events/event.ts'
import { statefulRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

export const endpointStatus = z.enum(['enabled', 'disabled'])
export type EndpointStatus = z.output<typeof endpointStatus>

/** A URL that events are posted to (specification: Webhook endpoint). */
export const webhookEndpoint = z.object({
  object: z.literal('webhook_endpoint'),
  id: z.string(),
  url: z.string(),
  description: z.string(),
  enabled_events: z.array(z.enum([...eventType.options, '*'])),
  status: endpointStatus,
  livemode: z.boolean(),
  created_at: timestamp,
})
export type WebhookEndpoint = z.output<typeof webhookEndpoint>

/** How many endpoints a workspace may have in each environment (specification: Limits). */
export const endpoint_limit = 16

/** The response to the create call, the only one that shows the secret. */
export const createdEndpoint = webhookEndpoint.extend({ secret: z.string() })

export const webhookEndpointRow = webhookEndpoint.omit({ object: true }).extend({
  ...statefulRow,
  /** False once deleted, which also disables it for good. Past deliveries stay readable on their events. */
  listed: z.boolean(),
  /** 1 to 16 and unique while listed, so that no race can add a seventeenth endpoint; null once deleted. */
  slot: z.int().nullable(),
  /** AES-256-GCM under a key derived from the engine's secret. */
  encrypted_secret: z.string(),
  /** The dashboard user who registered it; null if an API key did. */
  registered_by: z.string().nullable(),
  /** The latest of the last 2xx, edit, resume and creation. The automatic pause counts from here. */
  quiet_since: timestamp,
  last_failure_at: timestamp.nullable(),
  /** When the oldest of its exhausted deliveries was created. */
  exhausted_created_at: timestamp.nullable(),
})
export type WebhookEndpointRow = z.output<typeof webhookEndpointRow>
