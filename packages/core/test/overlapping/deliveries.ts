import type { Rows } from '../../../testing/src/invariants/rows.ts'
import type { Receiver } from './receiver.ts'
import type { Request } from './world.ts'

/** Every attempt is counted, with the bytes that were filed, and none is made where nobody listens any more. */
export function brokenSends(receiver: Receiver, before: Rows, after: Rows): string[] {
  const attempts = ({ deliveries }: Rows) => deliveries.reduce((sum, one) => sum + one.attempt_count, 0)
  const counted = attempts(after) - attempts(before)
  const { sent, unclaimed } = receiver
  const filed = new Map(after.events.map(({ id, body }) => [id, body]))
  const other = sent.filter(({ event, body }) => filed.get(event) !== body)
  return [
    ...(counted === sent.length ? [] : [`${counted} attempts were counted of ${sent.length}`]),
    ...other.map(({ event }) => `${event} was sent with other bytes`),
    ...unclaimed.map((one) => `sent without a claim: ${one}`),
    ...receiver.unheard(),
  ]
}

interface Circumstances {
  requests: readonly Request[]
  pauses: Receiver['pauses']
  /** Connections broke, and with one the answer to a claim may have: what it leased comes back when the lease ends. */
  isBroken: boolean
}

/** What is pending has somebody who listens, and what was canceled somebody who was silenced. */
export function brokenDeliveries(
  { requests, pauses, isBroken }: Circumstances,
  before: Rows,
  after: Rows,
): string[] {
  const endpoints = new Map(after.webhook_endpoints.map((endpoint) => [endpoint.id, endpoint]))
  const over = new Set(before.deliveries.filter(({ status }) => status !== 'pending').map(({ id }) => id))
  const silenced = new Set([
    ...requests.map(({ silences }) => silences),
    ...pauses.map(({ endpoint }) => endpoint),
  ])
  return after.deliveries.flatMap(({ id, status, endpoint: name, stopped, lease_until }) => {
    const endpoint = endpoints.get(name)
    const listens = endpoint?.listed === true && endpoint.status === 'enabled'
    const pending = status === 'pending'
    if (pending && lease_until !== null && isBroken && (listens || stopped)) return []
    if (pending && !listens) return [`${id} is pending, and ${name} does not listen`]
    if (pending && stopped && lease_until === null) return [`${id} goes on, and was stopped`]
    if (pending && lease_until !== null) return [`${id} is still leased`]
    const lost = status === 'canceled' && !over.has(id) && !silenced.has(name)
    return lost ? [`${id} was canceled, and nobody silenced ${name}`] : []
  })
}
