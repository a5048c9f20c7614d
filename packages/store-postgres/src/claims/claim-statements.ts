import type { Statement } from '@quittance/store-sql'
import { claimKey } from '../dialect.ts'
import { quoted } from '../quoting.ts'
import { bounded, durable } from '../units/one-trip.ts'
import { fewLeasesIn } from './lease-list.ts'
import { takeStatement } from './take-statement.ts'
import { type ClaimTables, idleEndpoints, longestDue } from './waiting-deliveries.ts'

interface ClaimStatements {
  /**
   * For the transaction, whose COMMIT has to last: with a lease that the server forgets, another dispatcher would get its
   * token. Plans are made once, and read along the indexes, in their order, whatever the planner estimates.
   */
  readonly settings: Statement
  /**
   * Parameters: at, real_at, limit, per_workspace, schema, ended as JSON, reserved, window. Locks the workspaces whose turn it
   * is, and stores their endpoints for `take`. Returns the `busy` ones, which somebody else has locked, and how many endpoints
   * it stepped to.
   */
  readonly lockFree: Statement
  /** Parameters: schema, workspace. Waits for the lock of one workspace. */
  readonly lockOne: Statement
  /** Parameter: workspace. Stores its endpoints for `take`, as they are once it is locked. */
  readonly reachOne: Statement
  /**
   * Parameters: at, real_at, lease_until, limit, per_workspace, ended as JSON, reserved, ahead as JSON. Leases deliveries of
   * those endpoints.
   */
  readonly take: Statement
}

export function claimStatements(schema: string): ClaimStatements {
  const table = (name: string) => `${quoted(schema)}."${name}"`
  const tables: ClaimTables = {
    deliveries: table('deliveries'),
    endpoints: table('webhook_endpoints'),
    events: table('events'),
    leases: table('delivery_leases'),
  }
  const { deliveries } = tables
  return {
    settings: {
      sql: `SELECT ${durable}, ${bounded}, set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
  set_config('enable_incremental_sort', 'off', true), set_config('jit', 'off', true)`,
    },
    lockFree: { sql: lockFree(tables) },
    lockOne: { sql: `SELECT pg_advisory_xact_lock(${claimKey('$1::text', '$2::text')})` },
    reachOne: {
      sql: `WITH RECURSIVE ${endpointsWaiting(deliveries, { where: `d."workspace" = $1::text` })}
SELECT ${stored('SELECT * FROM "queue"')}`,
    },
    take: { sql: takeStatement(tables) },
  }
}

/** Steps from endpoint to endpoint, so that a million deliveries of one endpoint cost as much as one. */
function endpointsWaiting(deliveries: string, { where }: { where: string }): string {
  const first = (behind: string) => `
      SELECT d."workspace", d."livemode", d."endpoint", d."next_attempt_at" AS "since" FROM ${deliveries} d
      WHERE d."status" = 'pending' AND ${behind}
      ORDER BY d."workspace", d."livemode", d."endpoint", d."next_attempt_at", d."id" LIMIT 1`
  const next = `${where} AND (d."workspace", d."livemode", d."endpoint") > (q."workspace", q."livemode", q."endpoint")`
  return `"queue" AS (
    SELECT f.* FROM (${first(where)}
    ) f
    UNION ALL
    SELECT n.* FROM "queue" q CROSS JOIN LATERAL (${first(next)}
    ) n
  )`
}

/** Keeps endpoints until COMMIT, each with the time since when its longest due delivery is due. */
const stored = (endpoints: string) =>
  `set_config('quittance.claiming', (SELECT coalesce(json_agg(s), '[]') FROM (${endpoints}) s)::text, true)`

const is_enough = '(SELECT "is_enough" FROM "search")'

/**
 * `oldest` are the endpoints of what has been due for longest: in order, so that Postgres finds them along the index of
 * `next_attempt_at`, whatever else is pending. That is enough where all that is due is among it, or as many workspaces without
 * a lease as the claim may take: all others come behind them.
 */
function oldestEndpoints(tables: ClaimTables): string {
  const is_many = '(SELECT coalesce(sum("count"), 0) > $8::bigint FROM "due")'
  return `"due" AS MATERIALIZED (
    SELECT "workspace", "livemode", "endpoint", count(*) AS "count",
      min("next_attempt_at") FILTER (WHERE "lease_until" IS NULL OR "lease_until" <= $2) AS "since"
    FROM (
      SELECT * FROM ${tables.deliveries} WHERE "status" = 'pending' AND "next_attempt_at" <= $1
      ORDER BY "next_attempt_at" LIMIT $8::bigint + 1
    ) d GROUP BY 1, 2, 3
  ),
  "oldest" AS MATERIALIZED (
    SELECT "workspace", "livemode", "endpoint", "since" FROM "due" WHERE "since" IS NOT NULL
    ORDER BY "since" LIMIT CASE WHEN ${is_many} THEN 2 * $3::bigint END
  ),
  ${fewLeasesIn(tables, { name: 'oldest_leases', of: 'oldest', most: '$4::bigint' })},
  "search" AS MATERIALIZED (
    SELECT CASE
      WHEN NOT ${is_many} THEN true
      WHEN (SELECT count(DISTINCT "workspace") < $3::bigint FROM "oldest") THEN false
      ELSE (
        SELECT count(DISTINCT "workspace") >= $3::bigint FROM "oldest"
        WHERE "workspace" NOT IN (SELECT "workspace" FROM "oldest_leases")
      )
    END AS "is_enough"
  )`
}

/**
 * If `oldest` is not enough, `queue` steps from endpoint to endpoint. Workspaces come in the order in which `take` serves their
 * first endpoints: by age alone, a backlog of some whose receivers hang would keep all others waiting.
 */
function lockFree(tables: ClaimTables): string {
  const { deliveries, endpoints } = tables
  return `
WITH RECURSIVE
  ${oldestEndpoints(tables)},
  ${endpointsWaiting(deliveries, { where: `NOT ${is_enough}` })},
  "reached" AS (
    SELECT * FROM "oldest" WHERE ${is_enough} UNION ALL SELECT * FROM "queue"
  ),
  ${fewLeasesIn(tables, { name: 'leases', of: 'reached', most: '$4::bigint' })},
  "rooms" AS MATERIALIZED (
    SELECT "workspace", $4::bigint - sum("held") AS "room" FROM "leases" GROUP BY 1
  ),
  "heads" AS MATERIALIZED (
    SELECT q."workspace", q."livemode", q."endpoint", h."next_attempt_at" AS "since"
    FROM "reached" q CROSS JOIN LATERAL (${longestDue(deliveries, 'q', '1')}) h
    WHERE q."workspace" NOT IN (SELECT r."workspace" FROM "rooms" r WHERE r."room" <= 0)
  ),
  "firsts" AS (
    SELECT DISTINCT ON (h."workspace") h."workspace", coalesce(l."held", 0) AS "held", h."since" FROM "heads" h
    LEFT JOIN "leases" l
      ON l."workspace" = h."workspace" AND l."livemode" = h."livemode" AND l."endpoint" = h."endpoint"
    ORDER BY h."workspace", 2, 3
  ),
  "waiting" AS MATERIALIZED (
    SELECT f."workspace" FROM "firsts" f LEFT JOIN "rooms" r ON r."workspace" = f."workspace"
    WHERE f."held" = 0 OR r."room" > $7::bigint OR r."room" > ${idleEndpoints(endpoints, 'f')}
    ORDER BY f."held", f."since", f."workspace" LIMIT $3::bigint
  ),
  "tried" AS MATERIALIZED (
    SELECT "workspace", pg_try_advisory_xact_lock(${claimKey('$5::text', '"workspace"')}) AS "locked"
    FROM "waiting"
  )
SELECT
  ${stored(`SELECT h.* FROM "heads" h JOIN "tried" t ON t."workspace" = h."workspace" AND t."locked"`)},
  (SELECT coalesce(json_agg("workspace"), '[]') FROM "tried" WHERE NOT "locked") AS "busy",
  (SELECT count(*) FROM "queue") AS "steps"`
}
