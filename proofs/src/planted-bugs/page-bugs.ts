import type { PlantedBug } from './planted-bug.ts'

/** Mistakes on checkout pages, under Idempotency-Keys, and between workspaces and environments. */
export const page_bugs: readonly PlantedBug[] = [
  {
    name: 'timer-closes-a-paying-checkout',
    says: 'The expiry closes a page while a payment is in flight on it.',
    breaks: ['M26', 'M27', 'M28', 'M29'],
    edits: [
      {
        file: 'core/src/checkout-sessions/checkout-session-machine.ts',
        find: "if (session.paying !== null) return fail('checkout_session_payment_in_flight')",
        replace: '',
      },
    ],
  },
  {
    name: 'two-tabs-pay',
    says: 'A page takes a second payment while the first is in flight.',
    breaks: ['M26', 'M29'],
    edits: [
      {
        file: 'core/src/checkout-sessions/pay-checkout-session.ts',
        find: "if (page.paying !== null) return fail('checkout_session_payment_in_flight')",
        replace: '',
      },
    ],
  },
  {
    name: 'checkout-paid-at-its-expiry',
    says: '`<` for `<=`: a page takes a payment at the instant of its expiry.',
    breaks: ['M29', 'M10', 'M28'],
    edits: [
      {
        file: 'core/src/checkout-sessions/pay-checkout-session.ts',
        find: 'unit.now >= page.expires_at',
        replace: 'unit.now > page.expires_at',
      },
    ],
  },
  {
    name: 'expired-twice',
    says: 'Expiring an expired page announces it again.',
    breaks: ['M27', 'M31'],
    edits: [
      {
        file: 'core/src/checkout-sessions/expire-checkout-session.ts',
        find: "if (session.status === 'expired') return ok(showCheckoutSession(session, unit))",
        replace:
          "if (session.status === 'expired') return closeCheckoutSession(unit, { ...session, status: 'open' }, 'expire')",
      },
    ],
  },
  {
    name: 'complete-without-its-payment',
    says: 'A completed page does not name the payment that completed it.',
    breaks: ['M26'],
    edits: [
      {
        file: 'core/src/checkout-sessions/checkout-session-machine.ts',
        find: 'next: { ...next, payment, completed_at: at, paying: null },',
        replace: 'next: { ...next, completed_at: at, paying: null },',
      },
    ],
  },
  {
    name: 'key-abandoned-for-ever',
    says: 'Nobody finishes what a dead process left under an Idempotency-Key.',
    breaks: ['M44', 'M53'],
    edits: [
      {
        file: 'core/src/engine/idempotency/heal-key.ts',
        find: '  await healKey(services, scope, key)\n',
        replace: '',
      },
      {
        file: 'core/src/engine/idempotency/heal-key.ts',
        find: 'if (!row || row.due_at === null || row.due_at > now || row.lease_until !== null) return',
        replace: 'if (!row || row.due_at === null || row.due_at > now || row.lease_until) return',
      },
    ],
  },
  {
    name: 'replay-with-another-request-id',
    says: 'A healed key answers with a request id that its client never saw.',
    breaks: ['M42', 'M44'],
    edits: [
      {
        file: 'core/src/engine/idempotency/heal-key.ts',
        find: 'const answer = answerOf(result, current)',
        replace:
          "const request_id = current.request_id.toLowerCase().replace('req_', 'req_x')\n      const answer = answerOf(result, { request_id })",
      },
    ],
  },
  {
    name: 'key-reused-unnoticed',
    says: "Another request under a used key gets the first one's answer.",
    breaks: ['M43'],
    edits: [
      {
        file: 'core/src/engine/idempotency/key-decisions.ts',
        find: "if (row.fingerprint !== use.fingerprint) return fail('idempotency_key_reused')",
        replace: '',
      },
    ],
  },
  {
    name: 'key-taken-over-too-early',
    says: 'A retry takes a key over while the first request still runs.',
    breaks: ['M43', 'M2', 'M3', 'M12', 'M42'],
    edits: [
      {
        file: 'core/src/engine/idempotency/key-decisions.ts',
        find: "return row.lease_until > now ? fail('idempotency_key_in_flight') : ok('abandoned' as const)",
        replace: "return ok('abandoned' as const)",
      },
      {
        file: 'core/src/engine/idempotency/heal-key.ts',
        find: 'if (!abandoned || abandoned.lease_until === null || abandoned.lease_until > units.now) return',
        replace: 'if (!abandoned || abandoned.lease_until === null) return',
      },
    ],
  },
  {
    name: 'environment-forgotten',
    says: 'Idempotency-Keys are looked up without their environment.',
    breaks: ['M45', 'M47'],
    edits: [
      {
        file: 'core/src/memory-store/memory-rows.ts',
        find: 'scope.livemode} ',
        replace: "name !== 'idempotency_keys' && scope.livemode} ",
      },
    ],
  },
]
