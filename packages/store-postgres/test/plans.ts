import type { Pool } from 'pg'

interface Plan {
  'Node Type': string
  'Index Name'?: string
  'Index Cond'?: string
  'Relation Name'?: string
  Plans?: Plan[]
}

export interface IndexConditions {
  /** For each index scan, the columns its condition names, sorted. */
  columns: string[][]
  indexes: string[]
  sorts: number
  /** How many scans find rows by their `ctid`. */
  by_version: number
  /** Tables that are read from end to end. */
  sequential: string[]
}

/** Tables of the tests are small: what is right for those is forbidden, and what the indexes make possible remains. */
const for_large_tables = `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off`

/** How Postgres goes about a statement whatever its parameters are, after `settings`. */
export async function indexConditions(
  pool: Pool,
  sql: string,
  settings = for_large_tables,
): Promise<IndexConditions> {
  const parameters = new Set(sql.match(/\$\d+/g)).size
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(settings)
    await client.query('SET LOCAL plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE explained AS ${sql}`)
    const list = Array.from({ length: parameters }, () => 'NULL').join(', ')
    const explained = await client.query(
      `EXPLAIN (FORMAT JSON) EXECUTE explained${parameters === 0 ? '' : ` (${list})`}`,
    )
    const nodes = flat(explained.rows[0]['QUERY PLAN'][0].Plan)
    const scans = nodes.filter((node) => node['Index Name'] !== undefined)
    return {
      columns: scans.map((node) => columnsIn(node['Index Cond'] ?? '')),
      indexes: scans.map((node) => node['Index Name'] ?? ''),
      sorts: nodes.filter((node) => node['Node Type'].includes('Sort')).length,
      by_version: nodes.filter((node) => node['Node Type'] === 'Tid Scan').length,
      sequential: nodes
        .filter((node) => node['Node Type'] === 'Seq Scan')
        .map((node) => node['Relation Name'] ?? ''),
    }
  } finally {
    await client.query('ROLLBACK')
    await client.query('DEALLOCATE ALL')
    client.release()
  }
}

function flat(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)]
}

/** `((workspace = $1) AND (livemode = $2))` names two. */
function columnsIn(condition: string): string[] {
  return Array.from(condition.matchAll(/\("?(\w+)"? [=<>]+ /g), (match) => match[1] ?? '').sort()
}
