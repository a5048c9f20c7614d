import { columnsOf, looked_at, type Statement } from '@quittance/store-sql'
import { quoted } from './dialect.ts'

export interface ClaimStatements {
  /** Until COMMIT: plans are made once, and use the indexes whatever the planner estimates. */
  readonly plan: Statement
  /**
   * Parameters: at, real_at, limit, per_workspace, schema. Locks the workspaces whose deliveries have waited longest,
   * and stores their names for `take`. Returns the `busy` ones, which another claim has locked.
   */
  readonly lockFree: Statement
  /** Parameter: milliseconds. Until COMMIT: how long to wait for a lock. */
  readonly patient: Statement
  /** Parameters: schema, workspace. Waits for the lock of one workspace, and stores its name for `take`. */
  readonly lockOne: Statement
  /** Parameters: at, real_at, lease_until, limit, per_workspace. Leases deliveries of the locked workspaces. */
  readonly take: Statement
}

export function claimStatements(schema: string): ClaimStatements {
  const table = (name: string) => `${quoted(schema)}."${name}"`
  const deliveries = table('deliveries')
  return {
    plan: {
      sql: `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true)`,
    },
    lockFree: { sql: lockFree(deliveries) },
    patient: { sql: `SELECT set_config('lock_timeout', $1, true)` },
    lockOne: {
      sql: `SELECT pg_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0)),
  set_config('quittance.claiming', json_build_array($2::text)::text, true)`,
    },
    take: { sql: take({ deliveries, endpoints: table('webhook_endpoints'), events: table('events') }) },
  }
}

/** What may be claimed at $1 (engine time) and $2 (real time). */
const free = `c."status" = 'pending' AND c."next_attempt_at" <= $1 AND (c."lease_until" IS NULL OR c."lease_until" <= $2)`

/** The longest due deliveries of the endpoint in the row `of`. */
function longestDue(deliveries: string, of: string, limit: string): string {
  return `SELECT c."id", c."next_attempt_at", c.ctid AS "version" FROM ${deliveries} c
    WHERE c."workspace" = ${of}."workspace" AND c."livemode" = ${of}."livemode" AND c."endpoint" = ${of}."endpoint" AND ${free}
    ORDER BY c."next_attempt_at", c."id" LIMIT ${limit}`
}

/**
 * If few deliveries are due, `reached` takes their endpoints directly. If many are, `queue` steps from endpoint to
 * endpoint along the index of pending deliveries, so that a million deliveries of one endpoint cost as much as one.
 */
function lockFree(deliveries: string): string {
  return `
WITH RECURSIVE
  "due" AS MATERIALIZED (
    SELECT count(*) > ${looked_at} AS "many" FROM (
      SELECT 1 FROM ${deliveries} WHERE "status" = 'pending' AND "next_attempt_at" <= $1 LIMIT ${looked_at} + 1
    ) d
  ),
  "queue" AS (
    SELECT f.* FROM "due" CROSS JOIN LATERAL (
      SELECT "workspace", "livemode", "endpoint" FROM ${deliveries} WHERE "status" = 'pending' AND "many"
      ORDER BY "workspace", "livemode", "endpoint" LIMIT 1
    ) f
    UNION ALL
    SELECT n.* FROM "queue" q CROSS JOIN LATERAL (
      SELECT d."workspace", d."livemode", d."endpoint" FROM ${deliveries} d WHERE d."status" = 'pending'
        AND (d."workspace", d."livemode", d."endpoint") > (q."workspace", q."livemode", q."endpoint")
      ORDER BY d."workspace", d."livemode", d."endpoint" LIMIT 1
    ) n
  ),
  "reached" AS (
    SELECT * FROM "queue"
    UNION ALL
    SELECT f.* FROM "due" CROSS JOIN LATERAL (
      SELECT DISTINCT "workspace", "livemode", "endpoint" FROM ${deliveries}
      WHERE "status" = 'pending' AND "next_attempt_at" <= $1 AND NOT "many"
    ) f
  ),
  "full" AS MATERIALIZED (
    SELECT "workspace" FROM ${deliveries}
    WHERE "status" = 'pending' AND "lease_until" IS NOT NULL AND "lease_until" > $2
    GROUP BY 1 HAVING count(*) >= $4::bigint
  ),
  "waiting" AS MATERIALIZED (
    SELECT q."workspace", min(h."next_attempt_at") AS "since"
    FROM "reached" q CROSS JOIN LATERAL (${longestDue(deliveries, 'q', '1')}) h
    WHERE q."workspace" NOT IN (SELECT f."workspace" FROM "full" f)
    GROUP BY 1 ORDER BY 2, 1 LIMIT $3::bigint
  ),
  "tried" AS MATERIALIZED (
    SELECT "workspace", pg_try_advisory_xact_lock(hashtextextended($5::text || ' ' || "workspace", 0)) AS "locked"
    FROM "waiting"
  )
SELECT
  set_config('quittance.claiming', coalesce(json_agg("workspace") FILTER (WHERE "locked"), '[]')::text, true),
  coalesce(json_agg("workspace") FILTER (WHERE NOT "locked"), '[]') AS "busy"
FROM "tried"`
}

/** Ends in `ranked`: the endpoints of the locked workspaces that have something due, in the order they are served. */
function rankedEndpoints(deliveries: string): string {
  return `"claiming" AS MATERIALIZED (
    SELECT w COLLATE "C" AS "workspace" FROM json_array_elements_text(current_setting('quittance.claiming')::json) w
  ),
  "queue" AS (
    SELECT e.* FROM "claiming" w CROSS JOIN LATERAL (
      SELECT d."workspace", d."livemode", d."endpoint" FROM ${deliveries} d
      WHERE d."status" = 'pending' AND d."workspace" = w."workspace" ORDER BY d."livemode", d."endpoint" LIMIT 1
    ) e
    UNION ALL
    SELECT n.* FROM "queue" q CROSS JOIN LATERAL (
      SELECT d."workspace", d."livemode", d."endpoint" FROM ${deliveries} d
      WHERE d."status" = 'pending' AND d."workspace" = q."workspace"
        AND (d."livemode", d."endpoint") > (q."livemode", q."endpoint")
      ORDER BY d."livemode", d."endpoint" LIMIT 1
    ) n
  ),
  "leases" AS MATERIALIZED (
    SELECT d."workspace", d."livemode", d."endpoint", count(*) AS "held"
    FROM "claiming" w JOIN ${deliveries} d ON d."workspace" = w."workspace"
    WHERE d."status" = 'pending' AND d."lease_until" IS NOT NULL AND d."lease_until" > $2 GROUP BY 1, 2, 3
  ),
  "rooms" AS MATERIALIZED (
    SELECT w."workspace", $5::bigint - coalesce(sum(l."held"), 0) AS "room"
    FROM "claiming" w LEFT JOIN "leases" l ON l."workspace" = w."workspace" GROUP BY 1
  ),
  "heads" AS MATERIALIZED (
    SELECT q.*, coalesce(l."held", 0) AS "held", r."room", h."next_attempt_at", h."id"
    FROM "queue" q JOIN "rooms" r ON r."workspace" = q."workspace" AND r."room" > 0
    LEFT JOIN "leases" l
      ON l."workspace" = q."workspace" AND l."livemode" = q."livemode" AND l."endpoint" = q."endpoint"
    CROSS JOIN LATERAL (${longestDue(deliveries, 'q', '1')}) h
  ),
  "ranked" AS (
    SELECT h.*, row_number() OVER (
      PARTITION BY h."workspace" ORDER BY h."held", h."next_attempt_at", h."id"
    ) AS "rank" FROM "heads" h
  )`
}

/**
 * A workspace serves at most as many endpoints as it has room for: those with the fewest live leases, then those with
 * the longest due delivery. It takes from them in turn; live leases count as turns already had. Deliveries that a unit
 * of work has locked are skipped. LATERAL with a lock or a LIMIT forces a look-up row by row, and ctid finds the very
 * row version: a plain join may read every pending delivery to hash them.
 */
function take({
  deliveries,
  endpoints,
  events,
}: Record<'deliveries' | 'endpoints' | 'events', string>): string {
  return `
WITH RECURSIVE
  ${rankedEndpoints(deliveries)},
  "offered" AS (
    SELECT s."workspace", s."livemode", s."room", c."id", c."next_attempt_at", c."version", s."held" - 1 + row_number() OVER (
      PARTITION BY s."workspace", s."livemode", s."endpoint" ORDER BY c."next_attempt_at", c."id"
    ) AS "turn"
    FROM "ranked" s
    CROSS JOIN LATERAL (${longestDue(deliveries, 's', 'least($4::bigint, $5::bigint)')}) c WHERE s."rank" <= s."room"
  ),
  "placed" AS (
    SELECT o.*, row_number() OVER (
      PARTITION BY o."workspace" ORDER BY o."turn", o."next_attempt_at", o."id"
    ) AS "place" FROM "offered" o
  ),
  "picked" AS MATERIALIZED (
    SELECT p.* FROM "placed" p WHERE p."place" <= p."room"
    ORDER BY p."turn", p."next_attempt_at", p."id" LIMIT $4::bigint
  ),
  "chosen" AS MATERIALIZED (
    SELECT p."workspace", p."livemode", p."id", p."turn" FROM "picked" p CROSS JOIN LATERAL (
      SELECT 1 FROM ${deliveries} c
      WHERE c.ctid = p."version" AND ${free} FOR UPDATE SKIP LOCKED
    ) c
  ),
  "taken" AS (
    UPDATE ${deliveries} d SET "lease" = d."lease" + 1, "lease_until" = $3
    FROM ${few} c ("workspace", "livemode", "id", "turn")
    WHERE d."workspace" = c."workspace" AND d."livemode" = c."livemode" AND d."id" = c."id" RETURNING d.*, c."turn"
  )
SELECT ${joined('deliveries', 't')}, ${joined('webhook_endpoints', 'e')}, v."body"
FROM "taken" t
CROSS JOIN LATERAL (
  SELECT * FROM ${endpoints} e
  WHERE e."workspace" = t."workspace" AND e."livemode" = t."livemode" AND e."id" = t."endpoint" LIMIT 1
) e
CROSS JOIN LATERAL (
  SELECT * FROM ${events} v
  WHERE v."workspace" = t."workspace" AND v."livemode" = t."livemode" AND v."id" = t."event" LIMIT 1
) v
ORDER BY t."turn", t."next_attempt_at", t."id"`
}

/**
 * The rows of `chosen`, as arrays, of which Postgres expects ten. Of a LIMIT with an unknown value it would expect a
 * tenth of all rows, and read every delivery to join them.
 */
const few = `unnest(${['workspace', 'livemode', 'id', 'turn'].map((name) => `ARRAY(SELECT "${name}" FROM "chosen")`)})`

/** The columns of a row in a join, named `<table>.<column>`. */
function joined(name: 'deliveries' | 'webhook_endpoints', alias: string): string {
  return columnsOf(name)
    .map((column) => `${alias}."${column.name}" AS "${name}.${column.name}"`)
    .join(', ')
}
