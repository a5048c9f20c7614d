import type { PlantedBug } from './planted-bug.ts'

/** Mistakes by which money is charged, refunded or counted wrongly. */
export const money_bugs: readonly PlantedBug[] = [
  {
    name: 'refund-reads-before-the-lock',
    says: 'The balance a refund is judged by was read before the payment was locked.',
    breaks: ['M13', 'M15'],
    edits: [
      {
        file: 'core/src/refunds/create-refund.ts',
        find: 'const payment = await unit.tx.payments.lock(input.payment)',
        replace: `const read = (globalThis as { read?: Map<string, PaymentRow> })
    const reads = (read.read ??= new Map())
    const locked = await unit.tx.payments.lock(input.payment)
    const payment = locked?.status === 'succeeded' ? (reads.get(locked.id) ?? locked) : locked
    if (payment) reads.set(payment.id, payment)`,
      },
    ],
  },
  {
    name: 'refunds-side-by-side',
    says: 'A second refund is accepted while one is under way.',
    breaks: ['M13', 'M14'],
    edits: [
      {
        file: 'core/src/refunds/create-refund.ts',
        find: "if (under_way) return fail('refund_in_flight')",
        replace: '',
      },
      {
        file: 'core/src/refunds/create-refund.ts',
        find: 'pending_of: payment.id,',
        replace: 'pending_of: null,',
      },
      {
        file: 'core/src/refunds/refund-machine.ts',
        find: 'pending_of: pending ? refund.payment : null,',
        replace: 'pending_of: null,',
      },
    ],
  },
  {
    name: 'refund-under-the-key-of-its-payment',
    says: "Every refund of a payment reaches the processor under one key, so that a later one repeats the first's answer.",
    breaks: ['M15', 'M49'],
    edits: [
      {
        file: 'core/src/refunds/create-refund.ts',
        find: 'key: processorKey(intent), charge_key',
        replace: "key: processorKey({ ...intent, id: intent.payment.replace('pay_', 're_') }), charge_key",
      },
    ],
  },
  {
    name: 'failed-refund-keeps-the-balance',
    says: 'A refund that failed still counts against what is left to refund.',
    breaks: ['M13', 'M17'],
    edits: [
      {
        file: 'core/src/refunds/move-refund.ts',
        find: "return status === 'pending' || status === 'succeeded'",
        replace: 'return status !== null',
      },
    ],
  },
  {
    name: 'refund-of-a-returned-payment',
    says: 'A payment that came back can be refunded once more.',
    breaks: ['M16'],
    edits: [
      {
        file: 'core/src/refunds/create-refund.ts',
        find: "if (payment.status !== 'succeeded') return",
        replace: "if (payment.status !== 'succeeded' && payment.status !== 'returned') return",
      },
    ],
  },
  {
    name: 'no-answer-is-a-failure',
    says: 'A charge whose answer never came is recorded as failed.',
    breaks: ['M3', 'M7', 'M12'],
    edits: [
      {
        file: 'core/src/payments/payment-machine.ts',
        find: `    case 'unanswered':`,
        replace: `    case 'unanswered':
      return { on: 'unreachable', failure: neverSent }`,
      },
    ],
  },
  {
    name: 'unknown-is-not-found',
    says: 'The reconciler takes "nothing known yet" for "never arrived".',
    breaks: ['M3', 'M7', 'M12'],
    edits: [
      {
        file: 'core/src/payments/look-up-payment.ts',
        find: "else if (lookup.kind === 'not_found') {",
        replace: "else if (lookup.kind === 'not_found' || lookup.kind === 'unknown') {",
      },
    ],
  },
  {
    name: 'charge-before-the-intent',
    says: 'The processor is asked for the money before the payment is durable.',
    breaks: ['M3', 'M4'],
    edits: [
      {
        file: 'core/src/payments/charge.ts',
        find: 'const payment = newPayment(unit, method, terms)\n',
        replace: `const payment = newPayment(unit, method, terms)
  const { amount, currency, payment_method_type: type } = payment
  const charge = { key: processorKey(payment), token: method.token, type, amount, currency, at: unit.now }
  unit.processor?.charge(charge).then(() => {}, () => {})
`,
      },
    ],
  },
  {
    name: 'one-time-method-charged-twice',
    says: 'A one-time payment method is not held by the payment that charges it.',
    breaks: ['M8'],
    edits: [
      {
        file: 'core/src/payments/charge.ts',
        find: "if (method.usage === 'one_time') await unit.tx.payment_methods.update(holdMethod(method, payment.id))",
        replace: 'holdMethod(method, payment.id)',
      },
    ],
  },
  {
    name: 'session-used-twice',
    says: 'A session that has yielded its payment method yields another.',
    breaks: ['M9'],
    edits: [
      {
        file: 'core/src/payment-method-sessions/payment-method-session-machine.ts',
        find: "if (session.payment_method !== null) return fail('payment_method_session_used')",
        replace: '',
      },
      {
        file: 'core/src/ports/tables.ts',
        find: "payment_methods: { row: paymentMethodRow, unique: [['session']]",
        replace: 'payment_methods: { row: paymentMethodRow, unique: []',
      },
    ],
  },
  {
    name: 'session-confirmed-at-its-expiry',
    says: '`<` for `<=`: an open session can still be confirmed at the instant of its expiry.',
    breaks: ['M10'],
    edits: [
      {
        file: 'core/src/payment-method-sessions/payment-method-session-machine.ts',
        find: 'return now >= session.expires_at',
        replace: 'return now > session.expires_at',
      },
    ],
  },
  {
    name: 'session-used-too-late',
    says: 'A confirmed session can be charged for an hour instead of half of one.',
    breaks: ['M10'],
    edits: [
      {
        file: 'core/src/payment-method-sessions/payment-method-session-machine.ts',
        find: 'if (now > shifted(session.succeeded_at, session_use_ms))',
        replace: 'if (now > shifted(session.succeeded_at, 2 * session_use_ms))',
      },
    ],
  },
  {
    name: 'return-forgets-refunds',
    says: 'A payment that comes back takes from its invoice what was refunded already a second time.',
    breaks: ['M21'],
    edits: [
      {
        file: 'core/src/invoices/move-invoice-money.ts',
        find: 'paid: has.paid - had.paid',
        replace: "paid: after.status === 'returned' ? -after.amount : has.paid - had.paid",
      },
    ],
  },
  {
    name: 'pending-never-settled',
    says: 'What was pending on an invoice stays pending when its payment fails.',
    breaks: ['M20', 'M22'],
    edits: [
      {
        file: 'core/src/invoices/move-invoice-money.ts',
        find: 'pending: has.pending - had.pending',
        replace: "pending: after.status === 'failed' ? 0 : has.pending - had.pending",
      },
    ],
  },
  {
    name: 'notifications-skipped-by-a-crash',
    says: "The place in the processor's notifications is saved before they are applied.",
    breaks: ['M3', 'M49', 'M53'],
    edits: [
      {
        file: 'core/src/engine/reconcile/apply-notifications.ts',
        find: `    await applyPage(`,
        replace: `    if (cursor !== null && cursor !== after) await remember(services, { ...scope, id, value: cursor })
    await applyPage(`,
      },
    ],
  },
]
