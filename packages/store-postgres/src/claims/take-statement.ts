import { columnsOf } from '@quittance/store-sql'
import { leasesIn } from './lease-list.ts'
import { type ClaimTables, free, idleEndpoints, longestDue } from './waiting-deliveries.ts'

/**
 * Leases deliveries of the endpoints that the claim has stored, and returns them with all that is sent; an endpoint with the
 * first of its deliveries only, because to read its columns again would cost the process as much as the delivery.
 */
export function takeStatement(tables: ClaimTables): string {
  const { deliveries, endpoints, events, leases } = tables
  return `
WITH
  ${chosenDeliveries(tables)},
  "taken" AS (
    UPDATE ${deliveries} d SET "lease" = d."lease" + 1, "lease_until" = $3
    FROM ${few} c ("version", "turn", "ahead") WHERE d.ctid = c."version" RETURNING d.*, c."turn", c."ahead"
  ),
  "listed" AS (
    INSERT INTO ${leases} SELECT c."workspace", c."livemode", ARRAY(
      SELECT "id" FROM "chosen" WHERE "workspace" = c."workspace" AND "livemode" = c."livemode" UNION
      SELECT "id" FROM "leased" WHERE "workspace" = c."workspace" AND "livemode" = c."livemode" ORDER BY 1 DESC
    ) FROM "chosen" c GROUP BY 1, 2
    ON CONFLICT ("workspace", "livemode") DO UPDATE SET "ids" = excluded."ids"
  )
SELECT ${joined('deliveries', 't')}, ${joined('webhook_endpoints', 'e')}, t."body", t."ahead"
FROM (
  SELECT t.*, v."body", row_number() OVER (
    PARTITION BY t."workspace", t."livemode", t."endpoint" ORDER BY t."ahead", t."turn", t."next_attempt_at", t."id"
  ) AS "number"
  FROM "taken" t CROSS JOIN LATERAL (
    SELECT * FROM ${events} v
    WHERE v."workspace" = t."workspace" AND v."livemode" = t."livemode" AND v."id" = t."event" LIMIT 1
  ) v
) t
LEFT JOIN LATERAL (
  SELECT * FROM ${endpoints} e WHERE t."number" = 1
  AND e."workspace" = t."workspace" AND e."livemode" = t."livemode" AND e."id" = t."endpoint" LIMIT 1
) e ON true
ORDER BY t."ahead", t."turn", t."next_attempt_at", t."id"`
}

/**
 * The rows of `chosen`, as arrays, of which Postgres expects ten. For a LIMIT with an unknown value it would expect a tenth of
 * all rows, and read every delivery to join them.
 */
const few = `unnest(${['version', 'turn', 'ahead'].map((name) => `ARRAY(SELECT "${name}" FROM "chosen")`)})`

/** The columns of a row in a join, named `<table>.<column>`. */
function joined(name: 'deliveries' | 'webhook_endpoints', alias: string): string {
  return columnsOf(name)
    .map((column) => `${alias}."${column.name}" AS "${name}.${column.name}"`)
    .join(', ')
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
 * Ends in `chosen`. A workspace serves at most as many endpoints as it has room for: those with the fewest live leases, then
 * those with the longest due delivery. It takes from them in turn; live leases count as turns already had. Deliveries that a
 * unit of work has locked are skipped.
 *
 * LATERAL with a lock or a LIMIT forces a look-up row by row, and ctid finds the very row version: a plain join may read every
 * pending delivery to hash them.
 */
function chosenDeliveries(tables: ClaimTables): string {
  const { deliveries, endpoints } = tables
  return `${rankedEndpoints(tables)},
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
    ) AS "place" FROM "offered" o WHERE o."number" <= o."room"
  ),
  "picked" AS MATERIALIZED (
    SELECT p.* FROM "placed" p WHERE p."place" <= p."room" AND (
      p."turn" = 0 OR p."room" - p."place" >= $7::bigint OR p."room" - p."place" >= ${idleEndpoints(endpoints, 'p')}
    )
    ORDER BY p."turn", p."next_attempt_at", p."id" LIMIT $4::bigint
  ),
  "ahead" AS (
    SELECT o.* FROM "offered" o JOIN (
      SELECT "workspace", "livemode", "endpoint", count(*) AS "count" FROM "picked" GROUP BY 1, 2, 3
    ) p ON p."workspace" = o."workspace" AND p."livemode" = o."livemode" AND p."endpoint" = o."endpoint"
    WHERE o."number" > p."count" AND o."number" <= p."count" * (1 + o."rounds")
  ),
  "chosen" AS MATERIALIZED (
    SELECT p."workspace", p."livemode", p."id", p."version", p."turn", p."ahead" FROM (
      SELECT "workspace", "livemode", "id", "turn", "version", false AS "ahead" FROM "picked" UNION ALL
      SELECT "workspace", "livemode", "id", "turn", "version", true FROM "ahead"
    ) p CROSS JOIN LATERAL (
      SELECT 1 FROM ${deliveries} c
      WHERE c.ctid = p."version" AND ${free} FOR UPDATE SKIP LOCKED
    ) c
  )`
}
