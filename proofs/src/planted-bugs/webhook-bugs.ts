import type { PlantedBug } from './planted-bug.ts'

/** Mistakes in what is announced, to whom, when, and how often. */
export const webhook_bugs: readonly PlantedBug[] = [
  {
    name: 'event-apart-from-the-status',
    says: 'What the reconciler finds out is committed first, and announced in a transaction of its own after.',
    breaks: ['M30', 'M31'],
    edits: [
      {
        file: 'core/src/payments/move-payment.ts',
        find: 'emits && unit.announce(',
        replace: "emits && evidence !== 'lookup' && unit.announce(",
      },
      {
        file: 'core/src/payments/look-up-payment.ts',
        find: '  await units.work((unit) => movePayment(unit, id, to))',
        replace: `  const before = await units.read((rows) => rows.payments.get(id))
  const moved = await units.work((unit) => movePayment(unit, id, to))
  if (moved.isErr() || to.evidence !== 'lookup' || before?.status === moved.value.status) return
  const next = moved.value
  const type = \`payment.\${next.status}\` as 'payment.succeeded'
  await units.work(async (unit) => {
    const { render } = await import('../kernel/render.ts')
    const { payment: wire } = await import('./payment.ts')
    await unit.announce({ type, object: render(wire, next), at: next.changed_at })
    return ok(null)
  })`,
      },
    ],
  },
  {
    name: 'event-back-in-time',
    says: 'A status is stamped with a clock that went back.',
    breaks: ['M33'],
    edits: [
      {
        file: 'core/src/payments/payment-machine.ts',
        find: 'const at = later(now, payment.changed_at)',
        replace: 'const at = later(now, now)',
      },
    ],
  },
  {
    name: 'disabled-endpoints-are-told',
    says: 'An event is filed for endpoints that are disabled.',
    breaks: ['M34'],
    edits: [
      {
        file: 'core/src/events/file-event.ts',
        find: "if (status !== 'enabled' || !subscribed) continue",
        replace: 'if (!subscribed || status === undefined) continue',
      },
    ],
  },
  {
    name: 'unsubscribed-endpoints-are-told',
    says: 'An event is filed for endpoints that did not ask for its type.',
    breaks: ['M34'],
    edits: [
      {
        file: 'core/src/events/file-event.ts',
        find: "if (status !== 'enabled' || !subscribed) continue",
        replace: "if (status !== 'enabled' || subscribed === undefined) continue",
      },
    ],
  },
  {
    name: 'only-one-endpoint-is-told',
    says: 'An event is filed for the newest endpoint alone.',
    breaks: ['M34'],
    edits: [
      { file: 'core/src/events/file-event.ts', find: 'limit: endpoint_limit }', replace: 'limit: 1 }' },
    ],
  },
  {
    name: 'rendered-again-on-retry',
    says: 'The body of an event is written anew at every attempt.',
    breaks: ['M32'],
    edits: [
      {
        file: 'core/src/engine/leased-delivery.ts',
        find: '  const to = { endpoint: endpoint.id, url, secret: secretOf(endpoint), endpoint_changed_at }\n',
        replace: `  const to = { endpoint: endpoint.id, url, secret: secretOf(endpoint), endpoint_changed_at }
  if (lease > 1) claimed.body = JSON.stringify(JSON.parse(claimed.body), null, 1)
`,
      },
    ],
  },
  {
    name: 'retried-too-early',
    says: 'Every retry comes one step of the schedule too early.',
    breaks: ['M35'],
    edits: [
      {
        file: 'core/src/deliveries/delivery-machine.ts',
        find: 'retry_delays_ms[attempted.attempt_count - 1]',
        replace: 'retry_delays_ms[Math.max(0, attempted.attempt_count - 2)]',
      },
    ],
  },
  {
    name: 'seven-attempts',
    says: 'A delivery is given up after seven attempts.',
    breaks: ['M36'],
    edits: [
      {
        file: 'core/src/deliveries/delivery-machine.ts',
        find: 'retry_delays_ms[attempted.attempt_count - 1]',
        replace: 'retry_delays_ms.slice(0, 6)[attempted.attempt_count - 1]',
      },
    ],
  },
  {
    name: 'resend-beside-a-retry',
    says: 'An event is resent while its delivery to that endpoint is still being retried.',
    breaks: ['M40'],
    edits: [
      {
        file: 'core/src/deliveries/new-delivery.ts',
        find: 'pending_of: event,',
        replace: "pending_of: origin === 'emit' ? event : null,",
      },
    ],
  },
  {
    name: 'disabled-but-not-canceled',
    says: 'What a disabled endpoint would still have received is not canceled.',
    breaks: ['M36', 'M41'],
    edits: [
      {
        file: 'core/src/webhook-endpoints/update-endpoint.ts',
        find: "if (to === 'disabled') return cancelPending(unit, next)",
        replace: "if (to === 'disabled') return next",
      },
    ],
  },
  {
    name: 'paused-after-a-day',
    says: 'An endpoint is paused after one day of failures instead of three.',
    breaks: ['M39'],
    edits: [
      {
        file: 'core/src/webhook-endpoints/webhook-endpoint-machine.ts',
        find: 'export const pause_after_ms = 3 * day_ms',
        replace: 'export const pause_after_ms = 1 * day_ms',
      },
    ],
  },
  {
    name: 'never-paused',
    says: 'The sweep does not judge an endpoint whose third day is over.',
    breaks: ['M39'],
    edits: [
      {
        file: 'core/src/webhook-endpoints/webhook-endpoint-machine.ts',
        find: 'due.from <= now &&',
        replace: 'shifted(due.from, 30 * day_ms) <= now &&',
      },
    ],
  },
]
