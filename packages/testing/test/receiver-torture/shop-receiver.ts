import type { Event } from '@quittance/core'
import { verifyWebhook } from '@quittance/webhooks'

export const secret = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cywgMzIgYnl0ZXM'

/** What a shop keeps. */
export interface Kept {
  seen: Set<string>
  /** By the payment's id. */
  payments: Map<string, { status: string; parcels: number }>
}

/** The steps of a receiver, each of which can be done wrongly. */
export interface Steps {
  read(request: Request): Promise<string | Uint8Array>
  /** Null: refused. */
  verify(body: string | Uint8Array, header: string | null): Event | null
  /** Whether this is the first time. */
  note(event: Event, kept: Kept, request: Request): boolean | Promise<boolean>
  act(event: Event, kept: Kept): void
  refuse(body: string | Uint8Array, header: string | null): Response
}

/** How far along a payment is. */
const order = ['processing', 'succeeded', 'failed', 'canceled', 'returned']

/** What a receiver does where nobody says otherwise: all of it right. */
export const right: Steps = {
  read: async (request) => new Uint8Array(await request.arrayBuffer()),
  verify: (body, header) => verifyWebhook(body, header, secret).unwrapOr(null),
  note(event, { seen }) {
    if (seen.has(event.id)) return false
    seen.add(event.id)
    return true
  },
  act(event, { payments }) {
    const { object, id, status } = event.data.object
    if (object !== 'payment' || event.livemode) return
    const payment = payments.get(String(id)) ?? { status: 'processing', parcels: 0 }
    if (order.indexOf(String(status)) < order.indexOf(payment.status)) return
    const sends = status === 'succeeded' && payment.parcels === 0
    payments.set(String(id), { status: String(status), parcels: payment.parcels + Number(sends) })
  },
  refuse: () => new Response(null, { status: 400 }),
}

/** A receiver that sends a parcel for every payment that succeeded, and what it has done. */
export function shopReceiver(steps: Partial<Steps> = {}) {
  const { read, verify, note, act, refuse } = { ...right, ...steps }
  const kept: Kept = { seen: new Set(), payments: new Map() }
  const handler = async (request: Request): Promise<Response> => {
    const body = await read(request)
    const header = request.headers.get('service-signature')
    const event = verify(body, header)
    if (event === null) return refuse(body, header)
    if (await note(event, kept, request)) act(event, kept)
    return new Response(null, { status: 200 })
  }
  return { handler, effects: ({ payment }: { payment: string }) => kept.payments.get(payment) }
}
