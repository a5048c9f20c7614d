import type { PlantedBug } from './planted-bug.ts'

/** Mistakes in who may send a delivery, and in how many are sent at a time. */
export const lease_bugs: readonly PlantedBug[] = [
  {
    name: 'stale-lease-recorded',
    says: 'A process that slept through its lease records over its successor.',
    breaks: ['M35', 'M36', 'M37', 'M38'],
    edits: [
      {
        file: 'core/src/deliveries/record-attempts.ts',
        find: 'current.lease !== delivery.lease || current.lease_until === null',
        replace: 'current.lease < 0',
      },
    ],
  },
  {
    name: 'more-than-ten-at-a-time',
    says: 'The ten deliveries of a workspace are counted per claim, not over all processes.',
    breaks: ['M38'],
    edits: [
      {
        file: 'core/src/memory-store/pending-deliveries.ts',
        find: 'request.per_workspace - live',
        replace: 'request.per_workspace',
      },
    ],
  },
  {
    name: 'place-given-back-under-another-lease',
    says: 'An attempt that has ended frees its place, though somebody else is making the next one of the delivery.',
    breaks: ['M38'],
    edits: [
      {
        file: 'core/src/memory-store/pending-deliveries.ts',
        find: 'ended.has(leaseOf(row))',
        replace: 'request.ended.some(({ id }) => id === row.id)',
      },
    ],
  },
  {
    name: 'all-places-given-back-at-once',
    says: 'Once an attempt of a process has ended, none of its workspace takes a place.',
    breaks: ['M38'],
    edits: [
      {
        file: 'core/src/memory-store/pending-deliveries.ts',
        find: 'ended.has(leaseOf(row))',
        replace: 'ended.size > 0',
      },
    ],
  },
  {
    name: 'lease-by-the-clock-that-is-turned',
    says: 'Leases are counted on the clock that can be moved, so that a jump gives them away.',
    breaks: ['M38', 'M50'],
    edits: [
      {
        file: 'core/src/engine/deliveries.ts',
        find: 'leasing(services.clock.real())',
        replace: 'leasing(services.clock.now())',
      },
      {
        file: 'core/src/engine/unit-of-work/outbox.ts',
        find: 'leasing(clock.real())',
        replace: 'leasing(clock.now())',
      },
      {
        file: 'webhooks/src/dispatcher/leased.ts',
        find: '!maySend(delivery, clock.real())',
        replace: '!maySend(delivery, clock.now())',
      },
    ],
  },
  {
    name: 'filed-past-the-limit',
    says: 'A unit of work leases what it files whatever is under way already.',
    breaks: ['M38'],
    edits: [
      {
        file: 'core/src/memory-store/memory-transaction.ts',
        find: 'if (others.length + own.length + ids.length > per_workspace) return false',
        replace: 'if (ids.length > per_workspace) return false',
      },
    ],
  },
  {
    name: 'sent-though-it-was-not-leased',
    says: 'What a unit of work files is sent at once, also where it got no lease.',
    breaks: ['M38'],
    edits: [
      {
        file: 'core/src/engine/unit-of-work/outbox.ts',
        find: 'if (!(await tx.leaseDeliveries({ ids, lease_until, real_at, per_workspace }))) return',
        replace: 'await tx.leaseDeliveries({ ids, lease_until, real_at, per_workspace })',
      },
    ],
  },
  {
    name: 'sent-ahead-without-asking',
    says: 'What was leased ahead is sent without another look at its endpoint.',
    breaks: ['M41'],
    edits: [
      {
        file: 'webhooks/src/dispatcher/leased.ts',
        find: 'new Set(await this.#unchanged(next))',
        replace: 'new Set(next)',
      },
    ],
  },
  {
    name: 'place-passed-on-twice',
    says: 'Two deliveries that were leased ahead take the place of one.',
    breaks: ['M38'],
    edits: [
      {
        file: 'webhooks/src/dispatcher/lines.ts',
        find: 'line.places += 1\n      return true',
        replace: 'line.places += 2\n      return true',
      },
    ],
  },
]
