import type { Event } from '@quittance/core'
import { verifyWebhook } from '@quittance/webhooks'
import type { ReceiverTortureOptions } from '../../src/receiver-torture/receiver-torture.ts'
import type { rules } from './rules.ts'
import { secret } from './shop-receiver.ts'

/** What a shop knows of an order, and has sent for it. */
interface Order {
  parcels: number
  payments: Record<string, string>
  complete: boolean
  returned: boolean
}

/** What a receiver of orders does with an event that is new to it; a number is the status of an answer that refuses it. */
export type Act = (event: Event, order: Order) => unknown

interface OrderReceiver {
  act: Act
  options?: Partial<ReceiverTortureOptions>
}

interface WrongReceiver extends OrderReceiver {
  breaks: readonly (keyof typeof rules)[]
}

const final = ['failed', 'canceled', 'returned']

function paid({ payments }: Order): boolean {
  return Object.values(payments).includes('succeeded')
}

function note({ data: { object } }: Event, order: Order): void {
  if (object.object === 'payment' && !final.includes(order.payments[object.id] ?? ''))
    order.payments[object.id] = object.status
  if (object.object === 'checkout_session') order.complete ||= object.status === 'complete'
}

function send(order: Order): void {
  order.parcels = 1
}

const onCompleted = { actsOn: 'checkout_session.completed' } as const

/** Right in their own ways. */
export const rightReceivers: Record<string, OrderReceiver> = {
  'sends once a checkout session is complete and its payment has succeeded': {
    act(event, order) {
      note(event, order)
      if (order.complete && paid(order)) send(order)
    },
    options: onCompleted,
  },
  'compares what was paid with the order': {
    act(event, order) {
      const { object } = event.data
      if (object.amount !== 900 || object.currency !== 'CAD') return 422
      if (object.status === 'succeeded') send(order)
    },
    options: { amount: 900, currency: 'CAD' },
  },
  'goes by the times of a payment': {
    act({ data: { object } }, order) {
      if (object.object !== 'payment') return
      const { status, succeeded_at, failed_at, returned_at, failure } = object
      if ((status === 'succeeded') !== (succeeded_at !== null && returned_at === null)) return 422
      if ((status === 'returned') !== (returned_at !== null)) return 422
      if (['failed', 'returned'].includes(status) !== (failure !== null)) return 422
      if ((status === 'failed') !== (failed_at !== null)) return 422
      if (succeeded_at !== null && returned_at === null) send(order)
    },
  },
  'refunds only what it knows was paid': {
    act(event, order) {
      note(event, order)
      const { object } = event.data
      if (object.object !== 'refund') return
      if (!paid(order)) return 503
      if (object.status === 'succeeded') send(order)
    },
    options: { actsOn: 'refund.succeeded' },
  },
  'throws as long as it does not know that a refund was paid': {
    act(event, order) {
      note(event, order)
      const { object } = event.data
      if (object.object !== 'refund') return
      if (!paid(order)) throw new Error('Not paid yet.')
      if (object.status === 'succeeded') send(order)
    },
    options: { actsOn: 'refund.succeeded' },
  },
  'keeps an order from its payment.succeeded on, and waits for that': {
    act({ type, data: { object } }, order) {
      order.complete ||= type === 'payment.succeeded'
      if (object.status === 'returned' && !order.complete) return 503
      order.returned ||= object.status === 'returned'
    },
  },
  'knows the payment of an order from its payment.succeeded on, and remembers a return until then': {
    act(event, order) {
      const { object } = event.data
      note(event, order)
      if (event.type === 'payment.succeeded') order.payments.known = object.id
      const status = order.payments[order.payments.known ?? '']
      if (status === 'succeeded') order.complete = true
      if (status === 'returned') Object.assign(order, { complete: false, returned: true })
    },
  },
  'keeps an order from its payment.succeeded on, and sends unless it has heard of a return': {
    act({ type, data: { object } }, order) {
      order.complete ||= type === 'payment.succeeded'
      order.returned ||= object.status === 'returned'
      if (object.status === 'succeeded' && !order.returned) send(order)
    },
  },
  'is out of order now and then': {
    act: (() => {
      let asked = 0
      return ({ data: { object } }, order) => {
        asked += 1
        if (asked % 3 === 0) return 503
        if (object.status === 'succeeded') send(order)
      }
    })(),
  },
  'numbers its orders from 1': {
    act(event, order) {
      note(event, order)
      if (paid(order)) send(order)
    },
    options: { reference: serialNumber() },
  },
}

/** Each by the rules that it breaks. */
export const wrongReceivers: Record<string, WrongReceiver> = {
  'sends when a checkout session is complete': {
    act({ data: { object } }, order) {
      if (object.status === 'complete') send(order)
    },
    options: onCompleted,
    breaks: ['not_yet', 'status'],
  },
  'takes the payment of a checkout session for paid by the type of its event': {
    act({ type, data: { object } }, order) {
      if (type === 'payment.succeeded') order.payments[object.id] = 'succeeded'
      order.complete ||= object.status === 'complete'
      order.returned ||= object.status === 'returned'
      if (order.complete && paid(order)) send(order)
    },
    options: onCompleted,
    breaks: ['status'],
  },
  'sends for the payment and for its checkout session': {
    act({ type }, order) {
      if (type === 'payment.succeeded' || type === 'checkout_session.completed') order.parcels += 1
    },
    breaks: ['both', 'status'],
  },
  'lets the failure of a first attempt overwrite the second': {
    act({ data: { object } }, order) {
      if (object.object !== 'payment') return
      order.complete = object.status === 'succeeded' || (order.complete && object.status === 'processing')
      if (object.status === 'succeeded') send(order)
    },
    breaks: ['first_attempt', 'came_back'],
  },
  'notes a return, and takes the payment for paid again when it hears so later': {
    act({ data: { object } }, order) {
      if (object.status === 'returned') Object.assign(order, { complete: false, returned: true })
      if (object.status !== 'succeeded') return
      order.complete = true
      send(order)
    },
    breaks: ['came_back'],
  },
  'refuses what a payment has left behind': {
    act(event, order) {
      if (event.data.object.status === 'processing' && paid(order)) return 409
      note(event, order)
      if (paid(order)) send(order)
    },
    breaks: ['late'],
  },
  'takes a payment for seen by its own id': {
    act({ data: { object } }, order) {
      if (object.id in order.payments) return
      order.payments[object.id] = ''
      if (object.status === 'succeeded') send(order)
    },
    breaks: ['in_order'],
  },
  'answers before it saves, and loses some': {
    act: (() => {
      let taken = 0
      return ({ data: { object } }, order) => {
        taken += 1
        if (object.status === 'succeeded' && taken % 7 !== 0) send(order)
      }
    })(),
    breaks: ['kept'],
  },
}

/** Verifies, takes each event once, and finds the order by the merchant's reference. */
export function orderReceiver(act: Act) {
  const seen = new Set<string>()
  const orders = new Map<string, Order>()
  const orderOf = (reference = '') => {
    const order = orders.get(reference) ?? { parcels: 0, payments: {}, complete: false, returned: false }
    orders.set(reference, order)
    return order
  }
  const handler = async (request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer())
    if (body.length > 100 * 1024) return new Response(null, { status: 413 })
    const event = verifyWebhook(body, request.headers.get('service-signature'), secret).unwrapOr(null)
    if (event === null) return new Response(null, { status: 401 })
    const refused = seen.has(event.id) ? undefined : act(event, orderOf(event.data.object.metadata.reference))
    if (typeof refused === 'number') return new Response(null, { status: refused })
    seen.add(event.id)
    return new Response(null, { status: 204 })
  }
  return {
    handler,
    effects({ reference }: { reference: string }) {
      const { parcels, complete, returned } = orderOf(reference)
      return { order: reference, number: Number(reference), parcels: BigInt(parcels), complete, returned }
    },
  }
}

/** As a database counts its rows. */
function serialNumber() {
  let placed = 0
  return () => {
    placed += 1
    return String(placed)
  }
}
