/** What may be claimed. Parameters: at, real_at. */
const free = `"status" = 'pending' AND "next_attempt_at" <= ? AND ("lease_until" IS NULL OR "lease_until" <= ?)`

/** Parameters: at, limit. The deliveries that have been due for longest, leased or not. */
export const longestDue = {
  sql: `
SELECT "workspace", "livemode", "endpoint", "next_attempt_at", "id", "lease_until"
FROM "quittance_deliveries" INDEXED BY "quittance_deliveries_next"
WHERE "status" = 'pending' AND "next_attempt_at" <= ? ORDER BY "next_attempt_at" LIMIT ?`,
}

/**
 * Parameters: at, real_at, names of workspaces to leave out, as JSON. For each endpoint the longest due delivery that
 * may be claimed. `queue` steps from endpoint to endpoint along the index of pending deliveries, so that a million
 * deliveries of one endpoint cost as much as one.
 * With a row comparison of (workspace, livemode, endpoint) SQLite would read every delivery of the endpoint. Without
 * CROSS, which fixes the order of a join, it would start some joins with all deliveries.
 */
export const longestFree = {
  sql: `
WITH RECURSIVE "queue" ("entry") AS (
  SELECT * FROM (
    SELECT rowid FROM "quittance_deliveries" WHERE "status" = 'pending'
    ORDER BY "workspace", "livemode", "endpoint" LIMIT 1
  )
  UNION ALL
  SELECT coalesce(
    (
      SELECT n.rowid FROM "quittance_deliveries" n WHERE n."status" = 'pending' AND n."workspace" = d."workspace"
        AND n."livemode" = d."livemode" AND n."endpoint" > d."endpoint" ORDER BY n."endpoint" LIMIT 1
    ),
    (
      SELECT n.rowid FROM "quittance_deliveries" n WHERE n."status" = 'pending' AND n."workspace" = d."workspace"
        AND n."livemode" > d."livemode" ORDER BY n."livemode", n."endpoint" LIMIT 1
    ),
    (
      SELECT n.rowid FROM "quittance_deliveries" n WHERE n."status" = 'pending' AND n."workspace" > d."workspace"
      ORDER BY n."workspace", n."livemode", n."endpoint" LIMIT 1
    )
  )
  FROM "queue" q CROSS JOIN "quittance_deliveries" d ON d.rowid = q."entry"
)
SELECT h."workspace", h."livemode", h."endpoint", h."next_attempt_at", h."id"
FROM "queue" q
CROSS JOIN "quittance_deliveries" d ON d.rowid = q."entry"
CROSS JOIN "quittance_deliveries" h ON h.rowid = (
  SELECT rowid FROM "quittance_deliveries"
  WHERE "workspace" = d."workspace" AND "livemode" = d."livemode" AND "endpoint" = d."endpoint" AND ${free}
  ORDER BY "next_attempt_at", "id" LIMIT 1
)
WHERE d."workspace" NOT IN (SELECT "value" FROM json_each(?))`,
}

/** Parameter: real_at. How many live leases each endpoint has, read from the index alone. */
export const liveLeases = {
  sql: `
SELECT "workspace", "livemode", "endpoint", count(*) AS "held"
FROM "quittance_deliveries" INDEXED BY "quittance_deliveries_leased"
WHERE "status" = 'pending' AND "lease_until" IS NOT NULL AND "lease_until" > ?
GROUP BY 1, 2, 3`,
}

/** Parameters: leases as JSON, real_at. How many of these are live, for each endpoint. */
export const liveAmong = {
  sql: `
SELECT d."workspace", d."livemode", d."endpoint", count(DISTINCT d.rowid) AS "held"
FROM json_each(?) l CROSS JOIN "quittance_deliveries" d
ON d."workspace" = l."value" ->> 0 AND d."livemode" = l."value" ->> 1 AND d."id" = l."value" ->> 2
WHERE d."lease" = l."value" ->> 3 AND d."status" = 'pending' AND d."lease_until" > ?
GROUP BY 1, 2, 3`,
}

/** Parameters: workspace, livemode, endpoint, at, real_at, limit. An endpoint's claimable deliveries, longest due first. */
export const freeOfEndpoint = {
  sql: `
SELECT rowid AS "entry", "next_attempt_at", "id" FROM "quittance_deliveries"
WHERE "workspace" = ? AND "livemode" = ? AND "endpoint" = ? AND ${free} ORDER BY "next_attempt_at", "id" LIMIT ?`,
}

/** Parameter: workspace. */
export const enabledEndpoints = {
  sql: `
SELECT "workspace", "livemode", "id" AS "endpoint" FROM "quittance_webhook_endpoints"
INDEXED BY "quittance_webhook_endpoints_listed" WHERE "workspace" = ? AND "listed" = 1 AND "status" = 'enabled'`,
}

/** Parameter: rowids, as JSON. The deliveries in this order, each with the body of its event. */
export const withBodies = {
  sql: `
SELECT d.rowid AS "entry", d.*, e."body" FROM json_each(?) j
CROSS JOIN "quittance_deliveries" d ON d.rowid = j."value"
CROSS JOIN "quittance_events" e ON e."workspace" = d."workspace" AND e."livemode" = d."livemode" AND e."id" = d."event"
ORDER BY j."key"`,
}

/** Parameters: lease_until, rowids as JSON. */
export const take = {
  sql: `UPDATE "quittance_deliveries" SET "lease" = "lease" + 1, "lease_until" = ?
WHERE rowid IN (SELECT "value" FROM json_each(?))`,
}
