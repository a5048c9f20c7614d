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
  /** Tables that are read from end to end. */
  sequential: string[]
}

/**
 * How Postgres goes about a statement whatever its parameters are. Tables of the tests are small: scans and sorts,
 * which are right for those, are forbidden so that what remains is what the indexes make possible.
 */
export async function indexConditions(pool: Pool, sql: string): Promise<IndexConditions> {
  const parameters = new Set(sql.match(/\$\d+/g)).size
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    for (const name of ['seqscan', 'bitmapscan', 'sort']) await client.query(`SET LOCAL enable_${name} = off`)
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
