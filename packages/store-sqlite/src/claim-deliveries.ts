import type { ClaimedDelivery, ClaimRequest, Tables } from '@quittance/core'
import { looked_at, type SqlRow, type Statements } from '@quittance/store-sql'
import type { SyncDriver } from './sqlite-driver.ts'

interface Claiming {
  statements: Statements
  driver: SyncDriver
  request: ClaimRequest
}

/** Runs inside a transaction, which keeps every other claim away. */
export function claimDeliveries({ statements, driver, request }: Claiming): ClaimedDelivery[] {
  const { at, real_at, lease_until, limit, per_workspace } = request
  const free = [at, real_at]
  const most = Math.min(per_workspace, limit)
  const chosen = driver.all(choose, [
    ...[at, at, real_at, per_workspace, per_workspace],
    ...[...free, ...free, most, limit],
  ])
  const deliveries = statements.table('deliveries')
  const webhook_endpoints = statements.table('webhook_endpoints')
  const endpoints = new Map<string, Tables['webhook_endpoints'] | null>()
  const endpointOf = ({ workspace, livemode, endpoint: id }: SqlRow) => {
    // Ids are unique within a scope only.
    const key = `${livemode} ${id} ${workspace}`
    const known = endpoints.get(key)
    if (known !== undefined) return known
    const [row] = driver.all(webhook_endpoints.get, [workspace, livemode, id])
    const found = row ? (webhook_endpoints.codec.decode(row) as unknown as Tables['webhook_endpoints']) : null
    endpoints.set(key, found)
    return found
  }
  const taken: unknown[] = []
  const claimed: ClaimedDelivery[] = []
  for (const { entry, ...row } of chosen) {
    const endpoint = endpointOf(row)
    const [event] = driver.all(statements.table('events').get, [row.workspace, row.livemode, row.event])
    if (endpoint === null || event === undefined) continue
    taken.push(entry)
    const leased = { ...row, lease: Number(row.lease) + 1, lease_until }
    const delivery = deliveries.codec.decode(leased) as unknown as Tables['deliveries']
    claimed.push({ delivery, endpoint, body: String(event.body) })
  }
  if (taken.length > 0) driver.run(take, [lease_until, JSON.stringify(taken)])
  return claimed
}

const take = {
  sql: `UPDATE "quittance_deliveries" SET "lease" = "lease" + 1, "lease_until" = ?
WHERE rowid IN (SELECT "value" FROM json_each(?))`,
}

/**
 * Of few that are due, `reached` has their endpoints. Of many, `queue` steps from endpoint to endpoint along the index
 * of what is pending, so that it costs as much for a million deliveries of one endpoint as for one. A workspace serves
 * no more endpoints than it has room for, those with the fewest live leases and then the longest due delivery; it takes
 * theirs in turn, where an endpoint's live leases count as turns it has had.
 * Comparing (workspace, livemode, endpoint) as one would make SQLite read every delivery of the endpoint, and without
 * CROSS, which fixes the order of a join, it begins some joins at all deliveries there are.
 */
const choose = {
  sql: `
WITH RECURSIVE
  "due" AS MATERIALIZED (
    SELECT count(*) > ${looked_at} AS "many" FROM (
      SELECT 1 FROM "quittance_deliveries" INDEXED BY "quittance_deliveries_next"
      WHERE "status" = 'pending' AND "next_attempt_at" <= ? LIMIT ${looked_at} + 1
    )
  ),
  "queue" ("entry") AS (
    SELECT (
      SELECT rowid FROM "quittance_deliveries" WHERE "status" = 'pending'
      ORDER BY "workspace", "livemode", "endpoint" LIMIT 1
    )
    FROM "due" WHERE "many"
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
  ),
  "reached" ("entry") AS (
    SELECT "entry" FROM "queue"
    UNION ALL
    SELECT min(d.rowid) FROM "due" CROSS JOIN "quittance_deliveries" d INDEXED BY "quittance_deliveries_next"
    WHERE NOT "many" AND d."status" = 'pending' AND d."next_attempt_at" <= ?
    GROUP BY d."workspace", d."livemode", d."endpoint"
  ),
  "leases" AS MATERIALIZED (
    SELECT "workspace", "livemode", "endpoint", count(*) AS "held" FROM "quittance_deliveries"
    WHERE "status" = 'pending' AND "lease_until" IS NOT NULL AND "lease_until" > ? GROUP BY 1, 2, 3
  ),
  "full" AS MATERIALIZED (SELECT "workspace", ? - sum("held") AS "room" FROM "leases" GROUP BY 1),
  "endpoints" AS MATERIALIZED (
    SELECT d."workspace", d."livemode", d."endpoint", coalesce(l."held", 0) AS "held", coalesce(f."room", ?) AS "room"
    FROM "reached" q
    CROSS JOIN "quittance_deliveries" d ON d.rowid = q."entry"
    LEFT JOIN "leases" l USING ("workspace", "livemode", "endpoint")
    LEFT JOIN "full" f ON f."workspace" = d."workspace"
    WHERE coalesce(f."room", 1) > 0
  ),
  "heads" AS MATERIALIZED (
    SELECT e.*, (
      SELECT c.rowid FROM "quittance_deliveries" c
      WHERE c."status" = 'pending' AND c."workspace" = e."workspace" AND c."livemode" = e."livemode"
        AND c."endpoint" = e."endpoint" AND c."next_attempt_at" <= ?
        AND (c."lease_until" IS NULL OR c."lease_until" <= ?)
      ORDER BY c."next_attempt_at", c."id" LIMIT 1
    ) AS "head"
    FROM "endpoints" e
  ),
  "served" AS MATERIALIZED (
    SELECT * FROM (
      SELECT h.*, row_number() OVER (
        PARTITION BY h."workspace" ORDER BY h."held", d."next_attempt_at", d."id"
      ) AS "rank"
      FROM "heads" h CROSS JOIN "quittance_deliveries" d ON d.rowid = h."head"
    )
    WHERE "rank" <= "room"
  ),
  "offered" AS (
    SELECT d.rowid AS "entry", d."workspace", d."id", d."next_attempt_at", s."room",
      s."held" - 1 + row_number() OVER (
        PARTITION BY d."workspace", d."livemode", d."endpoint" ORDER BY d."next_attempt_at", d."id"
      ) AS "turn"
    FROM "served" s
    CROSS JOIN "quittance_deliveries" d ON d.rowid IN (
      SELECT c.rowid FROM "quittance_deliveries" c
      WHERE c."status" = 'pending' AND c."workspace" = s."workspace" AND c."livemode" = s."livemode"
        AND c."endpoint" = s."endpoint" AND c."next_attempt_at" <= ?
        AND (c."lease_until" IS NULL OR c."lease_until" <= ?)
      ORDER BY c."next_attempt_at", c."id" LIMIT ?
    )
  ),
  "placed" AS (
    SELECT *, row_number() OVER (
      PARTITION BY "workspace" ORDER BY "turn", "next_attempt_at", "id"
    ) AS "place" FROM "offered"
  )
SELECT d.rowid AS "entry", d.* FROM "placed" p CROSS JOIN "quittance_deliveries" d ON d.rowid = p."entry" WHERE p."place" <= p."room"
ORDER BY p."turn", p."next_attempt_at", p."id" LIMIT ?`,
}
