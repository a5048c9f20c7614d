import type { Dialect } from '@quittance/store-sql'
import { quoted } from '../quoting.ts'

export type LeaseTables = Record<'deliveries' | 'leases', string>

/**
 * The rows that name the deliveries that may hold a lease. An index of the leases would cost more: Postgres writes all indexes
 * of a row if an indexed column changes, and a claim changes none but the lease. The newest come first: what still waits is
 * among them, and a claim that finds ten of a workspace looks no further.
 */
export function leaseList(schema: string): NonNullable<Dialect['leaseList']> {
  const tables = {
    leases: `${quoted(schema)}."delivery_leases"`,
    deliveries: `${quoted(schema)}."deliveries"`,
  }
  const leased = leasedIn(tables, 'SELECT $1::text AS "workspace"')
  return {
    add: {
      sql: `INSERT INTO ${tables.leases} AS l VALUES ($1, $2, ARRAY[$3])
ON CONFLICT ("workspace", "livemode") DO UPDATE SET "ids" = excluded."ids" || l."ids" WHERE NOT l."ids" @> excluded."ids"`,
    },
    count: { sql: `SELECT count(*) AS "live" FROM (${leased}) l WHERE "lease_until" > $2` },
    clear: {
      sql: `UPDATE ${tables.leases} l
SET "ids" = ARRAY(SELECT "id" FROM (${leased}) d WHERE d."livemode" = l."livemode") WHERE "workspace" = $1`,
    },
  }
}

/**
 * For a claim: `leased`, what is leased in the workspaces of the table `of`, and `leases`, how many places each endpoint
 * takes.
 */
export function leasesIn(tables: LeaseTables, of: string): string {
  return `"leased" AS MATERIALIZED (${leasedIn(tables, `SELECT DISTINCT "workspace" FROM "${of}"`)}
  ),
  "leases" AS MATERIALIZED (
    SELECT "workspace", "livemode", "endpoint", count(*) AS "held" FROM "leased" WHERE ${takes_place} GROUP BY 1, 2, 3
  )`
}

/** For a claim: only the places, as `name`, and no more than `most` of a workspace: it is enough to know that it is full. */
export function fewLeasesIn(
  tables: LeaseTables,
  { name, of, most }: Record<'name' | 'of' | 'most', string>,
): string {
  return `"${name}" AS MATERIALIZED (
    SELECT l."workspace", l."livemode", l."endpoint", count(*) AS "held"
    FROM (SELECT DISTINCT "workspace" FROM "${of}") w CROSS JOIN LATERAL (
      SELECT * FROM (${leasedIn(tables, 'SELECT w."workspace"')}) l WHERE ${takes_place} LIMIT ${most}
    ) l GROUP BY 1, 2, 3
  )`
}

/** Not a lease that is over at $2 (real time), nor one of those in $6, whose attempts have ended. */
const takes_place = `"lease_until" > $2 AND ("workspace", "livemode", "id", "lease") NOT IN (
      SELECT * FROM json_to_recordset($6::json) e ("workspace" text, "livemode" boolean, "id" text, "lease" bigint)
    )`

/**
 * The deliveries with a lease, over or not. LATERAL with a LIMIT looks them up, however many others there are. Without a
 * condition on the status that is by the primary key: for pending ones Postgres takes an index that begins with the endpoint.
 */
function leasedIn({ deliveries, leases }: LeaseTables, workspaces: string): string {
  return `
    SELECT d."workspace", d."livemode", d."id", d."endpoint", d."lease", d."lease_until"
    FROM (${workspaces}) w JOIN ${leases} l ON l."workspace" = w."workspace" CROSS JOIN LATERAL unnest(l."ids") i ("id")
    CROSS JOIN LATERAL (
      SELECT * FROM ${deliveries} d
      WHERE d."workspace" = l."workspace" AND d."livemode" = l."livemode" AND d."id" = i."id" LIMIT 1
    ) d WHERE d."status" = 'pending' AND d."lease_until" IS NOT NULL`
}
