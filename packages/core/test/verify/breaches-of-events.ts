import { breach, far_off, long_ago, nothing } from './breach.ts'

export const events = [
  breach('M30', 'events', 'about nothing', { change: { subject: nothing } }),
  breach('M32', 'events', 'about something else', {
    change: ({ body }) => ({ body: body.replaceAll('"id":"', '"id":"x') }),
  }),
  ...['{', 'null', '{"object":"event","data":{"object":"a payment"}}'].map((body) =>
    breach('M32', 'events', `whose body is ${body}`, { change: { body }, says: 'its body is no event' }),
  ),
  ...['"id":"evt', '"type":"payment', '"id":"pay'].map((text) =>
    breach('M32', 'events', `without ${text}`, {
      of: { type: 'payment.succeeded' },
      change: ({ body }) => ({ body: body.replace(text, `${text}s`) }),
      says: 'about something else',
    }),
  ),
  ...['customer', 'payment_method', 'checkout_session', 'invoice'].map((field) =>
    breach('M32', 'events', `with another ${field}`, {
      of: { type: 'payment.succeeded' },
      change: ({ body }) => ({
        body: body.replace(new RegExp(`"${field}":(null|"[^"]+")`), `"${field}":"x"`),
      }),
    }),
  ),
  breach('M32', 'events', 'in another currency than what it announces', {
    change: ({ body }) => ({ body: body.replace('"USD"', '"CAD"') }),
  }),
  breach('M32', 'events', 'that is no event', {
    change: ({ body }) => ({ body: body.replace('"object":"event"', '"object":"payment"') }),
  }),
  breach('M32', 'events', 'about an object of another kind', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"object":"payment"', '"object":"refund"') }),
  }),
  breach('M32', 'events', 'of another amount than what it announces', {
    change: ({ body }) => ({ body: body.replace('"amount":', '"amount":9') }),
  }),
  breach('M32', 'payments', 'whose amount is not the one that was announced', {
    of: { payment_method_type: 'card', status: 'succeeded' },
    change: ({ amount }) => ({ amount: amount + 1 }),
    found: 'events',
  }),
  breach('M33', 'events', 'behind its type', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded"', '"status":"processing"') }),
  }),
  breach('M33', 'events', 'of a success that shows a failure', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded"', '"status":"failed"') }),
  }),
  breach('M33', 'events', 'of a page that shows it open', {
    of: { type: 'checkout_session.completed' },
    change: ({ body }) => ({ body: body.replace('"status":"complete"', '"status":"open"') }),
  }),
  breach('M32', 'events', 'of another time than it says', {
    change: { created_at: long_ago },
    says: 'its body says',
  }),
  breach('M47', 'events', 'that says that it is of the other environment', {
    change: ({ body }) => ({ body: body.replace('"livemode":false', '"livemode":true') }),
  }),
  breach('M47', 'events', 'about an object of the other environment', {
    change: ({ body }) => ({ body: body.replace(/"livemode":false(?!.*"livemode")/, '"livemode":true') }),
  }),
  breach('M47', 'events', 'of the other environment', {
    change: ({ body }) => ({ body: body.replaceAll('"livemode":false', '"livemode":true') }),
  }),
  breach('M30', 'events', 'of a type that there is not', {
    of: { type: 'payment.succeeded' },
    copy: { id: 'evt_test_zzzzzzzzzzzzzzzzzzzzzzzz', type: 'payment.paid' as never },
  }),
  breach('M33', 'events', 'that shows a status that there is not', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded"', '"status":"paid"') }),
  }),
  breach('M33', 'events', 'that shows no status', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded",', '') }),
  }),
  breach('M33', 'events', 'of a charge under way that shows a failure', {
    of: { type: 'payment.processing' },
    change: ({ body }) => ({ body: body.replace('"status":"processing"', '"status":"failed"') }),
  }),
  breach('M32', 'events', 'dated before what it is about', {
    of: { type: 'payment.processing' },
    change: ({ body, created_at }) => ({ created_at: long_ago, body: body.replace(created_at, long_ago) }),
  }),
  breach('M32', 'events', 'dated after all that happened to what it is about', {
    of: { type: 'payment.processing' },
    change: ({ body, created_at }) => ({ created_at: far_off, body: body.replace(created_at, far_off) }),
    says: 'changed last at',
  }),
  breach('M32', 'events', 'of a success at no time', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace(/"succeeded_at":"[^"]+"/, '"succeeded_at":null') }),
  }),
  breach('M32', 'events', 'of another time than its object succeeded', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace(/"succeeded_at":"[^"]+"/, `"succeeded_at":"${long_ago}"`) }),
  }),
  breach('M32', 'payments', 'that succeeded at another time than was announced', {
    of: { status: 'succeeded', source: 'api' },
    change: { succeeded_at: far_off, changed_at: far_off },
    found: 'events',
  }),
  breach('M32', 'payments', 'made at no time that there is', {
    of: { status: 'succeeded', source: 'api' },
    change: { created_at: '-' },
    found: 'events',
    only: 'memory',
  }),
  breach('M32', 'events', 'with another reference', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"reference":null', '"reference":"order-2"') }),
  }),
  breach('M32', 'events', 'of a refund of another payment', {
    of: { type: 'refund.succeeded' },
    change: ({ body }) => ({ body: body.replace(/"payment":"[^"]+"/, `"payment":"${nothing}"`) }),
  }),
]
