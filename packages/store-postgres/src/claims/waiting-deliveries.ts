import type { LeaseTables } from './lease-list.ts'

export type ClaimTables = LeaseTables & Record<'endpoints' | 'events', string>

/** What may be claimed at $1 (engine time) and $2 (real time). */
export const free = `c."status" = 'pending' AND c."next_attempt_at" <= $1 AND (c."lease_until" IS NULL OR c."lease_until" <= $2)`

/**
 * The longest due deliveries of the endpoint in the row `of`, none of which is due before its `since`. Until the next VACUUM an
 * index keeps an entry of every delivery that has ended, before those of the pending: a claim passes these entries once, to
 * find where each endpoint begins, and looks from there afterwards.
 */
export function longestDue(deliveries: string, of: string, limit: string): string {
  return `SELECT c."id", c."next_attempt_at", c.ctid AS "version" FROM ${deliveries} c
    WHERE c."workspace" = ${of}."workspace" AND c."livemode" = ${of}."livemode" AND c."endpoint" = ${of}."endpoint"
      AND c."next_attempt_at" >= ${of}."since" AND ${free}
    ORDER BY c."next_attempt_at", c."id" LIMIT ${limit}`
}

/** How many endpoints of the workspace in the row `of` are enabled, without one of the `leases` and not in `heads`. */
export function idleEndpoints(endpoints: string, of: string): string {
  const names = (alias: string) => `(${alias}."workspace", ${alias}."livemode", ${alias}."endpoint")`
  return `(
    SELECT count(*) FROM ${endpoints} e WHERE e."workspace" = ${of}."workspace" AND e."listed" AND e."status" = 'enabled'
    AND NOT EXISTS (SELECT FROM "leases" l WHERE ${names('l')} = (e."workspace", e."livemode", e."id"))
    AND NOT EXISTS (SELECT FROM "heads" h WHERE ${names('h')} = (e."workspace", e."livemode", e."id"))
  )`
}
