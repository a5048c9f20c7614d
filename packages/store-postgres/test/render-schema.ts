import type { Pool } from 'pg'

/** Tables, columns, constraints and indexes as Postgres has them, one to a line, the same on every version. */
export async function renderSchema(pool: Pool, schema: string): Promise<string> {
  const columns = await pool.query(
    `SELECT table_name AS "table", format('  %I %s%s%s', column_name, data_type,
      coalesce(' collate ' || collation_name, ''), CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END) AS line
    FROM information_schema.columns WHERE table_schema = $1 ORDER BY table_name COLLATE "C", ordinal_position`,
    [schema],
  )
  // Postgres 18 lists NOT NULL as constraints too (contype n); they stand with their columns here.
  const constraints = await pool.query(
    `SELECT r.relname AS "table", '  ' || c.conname || ' ' || pg_get_constraintdef(c.oid) AS line FROM pg_constraint c
    JOIN pg_class r ON r.oid = c.conrelid JOIN pg_namespace n ON n.oid = r.relnamespace
    WHERE n.nspname = $1 AND c.contype <> 'n' ORDER BY r.relname COLLATE "C", c.conname COLLATE "C"`,
    [schema],
  )
  const indexes = await pool.query(
    `SELECT tablename AS "table", '  ' || replace(indexdef, quote_ident(schemaname) || '.', '') AS line FROM pg_indexes
    WHERE schemaname = $1 ORDER BY tablename COLLATE "C", indexname COLLATE "C"`,
    [schema],
  )
  const lines = (found: typeof columns, table: string) =>
    found.rows.filter((row) => row.table === table).map((row) => row.line)
  const tables = new Set<string>(columns.rows.map((row) => row.table))
  return Array.from(tables, (table) =>
    [table, ...lines(columns, table), ...lines(constraints, table), ...lines(indexes, table), ''].join('\n'),
  ).join('\n')
}
