import { type Breach, breach } from './breach.ts'
import { events } from './breaches-of-events.ts'
import { keys } from './breaches-of-keys.ts'
import { sent } from './breaches-of-messages.ts'
import { collected } from './breaches-of-methods.ts'
import { payments } from './breaches-of-payments.ts'
import { refunds } from './breaches-of-refunds.ts'
import { sold } from './breaches-of-sales.ts'

const id = 'any_live_000000000000000000000000'
const what = 'with an id of the other environment'
const misfiled = [
  breach('M47', 'payments', what, { copy: { id }, says: 'is kept in the sandbox' }),
  breach('M47', 'refunds', what, { of: { pending_of: null }, copy: { id } }),
  breach('M47', 'payment_method_sessions', what, { copy: { id } }),
  breach('M47', 'payment_methods', what, { copy: { id, session: 'another' } }),
  breach('M47', 'checkout_sessions', what, { copy: { id } }),
  breach('M47', 'webhook_endpoints', what, { copy: { id, slot: 2 } }),
  breach('M47', 'events', what, { copy: { id }, says: 'is kept in the sandbox' }),
  breach('M47', 'events', 'with an id of no environment', { copy: { id: 'event' } }),
]

export const breaches: readonly Breach[] = [
  ...payments,
  ...refunds,
  ...collected,
  ...sold,
  ...events,
  ...sent,
  ...keys,
  ...misfiled,
]
