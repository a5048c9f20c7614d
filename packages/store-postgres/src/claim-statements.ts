import { columnsOf, looked_at, type Statement } from '@quittance/store-sql'
import { quoted } from './dialect.ts'
import { fewLeasesIn, type LeaseTables, leasesIn } from './lease-list.ts'
import { bounded, durable } from './one-trip.ts'

export interface ClaimStatements {
  /**
   * Until COMMIT, which has to last: with a lease that the server forgets, another dispatcher would get its token. Plans
   * are made once, and read along the indexes, in their order, whatever the planner estimates.
   */
  readonly settings: Statement
  /**
   * Parameters: at, real_at, limit, per_workspace, schema, ended as JSON, reserved. Locks the workspaces whose turn it
   * is, and stores their endpoints for `take`. Returns the `busy` ones, which another claim has locked.
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
    lockOne: { sql: `SELECT pg_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))` },
    reachOne: {
      sql: `WITH RECURSIVE ${endpointsWaiting(deliveries, { where: `d."workspace" = $1::text` })}
SELECT ${stored('SELECT * FROM "queue"')}`,
    },
    take: { sql: take(tables) },
  }
}

type ClaimTables = LeaseTables & Record<'endpoints' | 'events', string>

/** What may be claimed at $1 (engine time) and $2 (real time). */
const free = `c."status" = 'pending' AND c."next_attempt_at" <= $1 AND (c."lease_until" IS NULL OR c."lease_until" <= $2)`

/**
 * The longest due deliveries of the endpoint in the row `of`, none of which is due before its `since`. Until the next
 * VACUUM an index keeps an entry of every delivery that has ended, before those of the pending: a claim passes them
 * once, to find where each endpoint begins, and looks from there afterwards.
 */
function longestDue(deliveries: string, of: string, limit: string): string {
  return `SELECT c."id", c."next_attempt_at", c.ctid AS "version" FROM ${deliveries} c
    WHERE c."workspace" = ${of}."workspace" AND c."livemode" = ${of}."livemode" AND c."endpoint" = ${of}."endpoint"
      AND c."next_attempt_at" >= ${of}."since" AND ${free}
    ORDER BY c."next_attempt_at", c."id" LIMIT ${limit}`
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

/** How many endpoints of the workspace in the row `of` are enabled, without one of the `leases` and not in `heads`. */
function idleEndpoints(endpoints: string, of: string): string {
  const names = (alias: string) => `(${alias}."workspace", ${alias}."livemode", ${alias}."endpoint")`
  return `(
    SELECT count(*) FROM ${endpoints} e WHERE e."workspace" = ${of}."workspace" AND e."listed" AND e."status" = 'enabled'
    AND NOT EXISTS (SELECT FROM "leases" l WHERE ${names('l')} = (e."workspace", e."livemode", e."id"))
    AND NOT EXISTS (SELECT FROM "heads" h WHERE ${names('h')} = (e."workspace", e."livemode", e."id"))
  )`
}

/** Keeps endpoints, each with when its longest due delivery is due, until COMMIT. */
const stored = (endpoints: string) =>
  `set_config('quittance.claiming', (SELECT coalesce(json_agg(s), '[]') FROM (${endpoints}) s)::text, true)`

/**
 * If few deliveries are due, `reached` takes their endpoints directly: in order, so that Postgres finds them along the index
 * of when, whatever else is pending. Workspaces come in the order in which `take`
 * serves their first endpoints: by age alone, a backlog of some that hang would keep all others waiting.
 */
function lockFree(tables: ClaimTables): string {
  const { deliveries, endpoints } = tables
  const is_many = `(SELECT count(*) > ${looked_at} FROM "due")`
  return `
WITH RECURSIVE
  "due" AS MATERIALIZED (
    SELECT "workspace", "livemode", "endpoint", "next_attempt_at" FROM ${deliveries}
    WHERE "status" = 'pending' AND "next_attempt_at" <= $1 ORDER BY "next_attempt_at" LIMIT ${looked_at} + 1
  ),
  ${endpointsWaiting(deliveries, { where: is_many })},
  "reached" AS (
    SELECT * FROM "queue"
    UNION ALL
    SELECT "workspace", "livemode", "endpoint", min("next_attempt_at") FROM "due" WHERE NOT ${is_many} GROUP BY 1, 2, 3
  ),
  ${fewLeasesIn(tables, 'reached', '$4::bigint')},
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
    SELECT "workspace", pg_try_advisory_xact_lock(hashtextextended($5::text || ' ' || "workspace", 0)) AS "locked"
    FROM "waiting"
  )
SELECT
  ${stored(`SELECT h.* FROM "heads" h JOIN "tried" t ON t."workspace" = h."workspace" AND t."locked"`)},
  (SELECT coalesce(json_agg("workspace"), '[]') FROM "tried" WHERE NOT "locked") AS "busy"`
}

/** Ends in `ranked`: the endpoints of the locked workspaces that have something due, in the order they are served. */
function rankedEndpoints(tables: ClaimTables): string {
  const { deliveries } = tables
  return `"reached" AS MATERIALIZED (
    SELECT * FROM json_to_recordset(current_setting('quittance.claiming')::json) r
      ("workspace" text COLLATE "C", "livemode" boolean, "endpoint" text COLLATE "C", "since" text COLLATE "C")
  ),
  "claiming" AS MATERIALIZED (SELECT DISTINCT "workspace" FROM "reached"),
  ${leasesIn(tables, 'claiming')},
  "rooms" AS MATERIALIZED (
    SELECT w."workspace", $5::bigint - coalesce(sum(l."held"), 0) AS "room"
    FROM "claiming" w LEFT JOIN "leases" l ON l."workspace" = w."workspace" GROUP BY 1
  ),
  "heads" AS MATERIALIZED (
    SELECT q.*, coalesce(l."held", 0) AS "held", r."room", h."next_attempt_at", h."id"
    FROM "reached" q JOIN "rooms" r ON r."workspace" = q."workspace" AND r."room" > 0
    LEFT JOIN "leases" l
      ON l."workspace" = q."workspace" AND l."livemode" = q."livemode" AND l."endpoint" = q."endpoint"
    CROSS JOIN LATERAL (${longestDue(deliveries, 'q', '1')}) h
  ),
  "ranked" AS (
    SELECT h.*, coalesce(a."rounds", 0) AS "rounds", row_number() OVER (
      PARTITION BY h."workspace" ORDER BY h."held", h."next_attempt_at", h."id"
    ) AS "rank" FROM "heads" h LEFT JOIN json_to_recordset($8::json) a
      ("workspace" text, "livemode" boolean, "endpoint" text, "rounds" bigint)
      ON a."workspace" = h."workspace" AND a."livemode" = h."livemode" AND a."endpoint" = h."endpoint"
  )`
}

/**
 * A workspace serves at most as many endpoints as it has room for: those with the fewest live leases, then those with
 * the longest due delivery. It takes from them in turn; live leases count as turns already had. Deliveries that a unit
 * of work has locked are skipped. LATERAL with a lock or a LIMIT forces a look-up row by row, and ctid finds the very
 * row version: a plain join may read every pending delivery to hash them.
 */
function take(tables: ClaimTables): string {
  const { deliveries, endpoints, events, leases } = tables
  return `
WITH
  ${rankedEndpoints(tables)},
  "offered" AS MATERIALIZED (
    SELECT *, "held" - 1 + "number" AS "turn" FROM (
      SELECT s."workspace", s."livemode", s."endpoint", s."held", s."room", s."rounds", c.*, row_number() OVER (
        PARTITION BY s."workspace", s."livemode", s."endpoint" ORDER BY c."next_attempt_at", c."id"
      ) AS "number"
      FROM "ranked" s
      CROSS JOIN LATERAL (${longestDue(deliveries, 's', 'least($4::bigint, s."room") * (1 + s."rounds")')}) c
      WHERE s."rank" <= s."room"
    ) o
  ),
  "placed" AS (
    SELECT o.*, row_number() OVER (
      PARTITION BY o."workspace" ORDER BY o."turn", o."next_attempt_at", o."id"
    ) AS "place" FROM "offered" o
  ),
  "picked" AS MATERIALIZED (
    SELECT p.* FROM "placed" p WHERE p."place" <= p."room" AND (
      p."turn" = 0 OR p."room" - p."place" >= $7::bigint OR p."room" - p."place" >= ${idleEndpoints(endpoints, 'p')}
    )
    ORDER BY p."turn", p."next_attempt_at", p."id" LIMIT $4::bigint
  ),
  "behind" AS (
    SELECT o.* FROM "offered" o JOIN (
      SELECT "workspace", "livemode", "endpoint", count(*) AS "count" FROM "picked" GROUP BY 1, 2, 3
    ) p ON p."workspace" = o."workspace" AND p."livemode" = o."livemode" AND p."endpoint" = o."endpoint"
    WHERE o."number" > p."count" AND o."number" <= p."count" * (1 + o."rounds")
  ),
  "chosen" AS MATERIALIZED (
    SELECT p."workspace", p."livemode", p."id", p."turn", p."ahead" FROM (
      SELECT "workspace", "livemode", "id", "turn", "version", false AS "ahead" FROM "picked" UNION ALL
      SELECT "workspace", "livemode", "id", "turn", "version", true FROM "behind"
    ) p CROSS JOIN LATERAL (
      SELECT 1 FROM ${deliveries} c
      WHERE c.ctid = p."version" AND ${free} FOR UPDATE SKIP LOCKED
    ) c
  ),
  "taken" AS (
    UPDATE ${deliveries} d SET "lease" = d."lease" + 1, "lease_until" = $3
    FROM ${few} c ("workspace", "livemode", "id", "turn", "ahead")
    WHERE d."workspace" = c."workspace" AND d."livemode" = c."livemode" AND d."id" = c."id" RETURNING d.*, c."turn", c."ahead"
  ),
  "listed" AS (
    INSERT INTO ${leases} SELECT c."workspace", c."livemode", ARRAY(
      SELECT "id" FROM "chosen" WHERE "workspace" = c."workspace" AND "livemode" = c."livemode" UNION
      SELECT "id" FROM "leased" WHERE "workspace" = c."workspace" AND "livemode" = c."livemode"
    ) FROM "chosen" c GROUP BY 1, 2
    ON CONFLICT ("workspace", "livemode") DO UPDATE SET "ids" = excluded."ids"
  )
SELECT ${joined('deliveries', 't')}, ${joined('webhook_endpoints', 'e')}, v."body", t."ahead"
FROM "taken" t
CROSS JOIN LATERAL (
  SELECT * FROM ${endpoints} e
  WHERE e."workspace" = t."workspace" AND e."livemode" = t."livemode" AND e."id" = t."endpoint" LIMIT 1
) e
CROSS JOIN LATERAL (
  SELECT * FROM ${events} v
  WHERE v."workspace" = t."workspace" AND v."livemode" = t."livemode" AND v."id" = t."event" LIMIT 1
) v
ORDER BY t."ahead", t."turn", t."next_attempt_at", t."id"`
}

/**
 * The rows of `chosen`, as arrays, of which Postgres expects ten. Of a LIMIT with an unknown value it would expect a
 * tenth of all rows, and read every delivery to join them.
 */
const few = `unnest(${['workspace', 'livemode', 'id', 'turn', 'ahead'].map((name) => `ARRAY(SELECT "${name}" FROM "chosen")`)})`

/** The columns of a row in a join, named `<table>.<column>`. */
function joined(name: 'deliveries' | 'webhook_endpoints', alias: string): string {
  return columnsOf(name)
    .map((column) => `${alias}."${column.name}" AS "${name}.${column.name}"`)
    .join(', ')
}
