import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Store, type TableName, tables } from '@quittance/core'

/** What outlives a process: its rows, and beside them what the world outside holds. */
export interface Home {
  folder: string
  /** Address of a Postgres database; null: the rows are a SQLite file in the folder. */
  database: string | null
}

const sqliteFileIn = ({ folder }: Home) => join(folder, 'rows.db')
/** The processor's own ledger. */
export const ledgerIn = ({ folder }: Home) => join(folder, 'ledger.jsonl')
/** What webhook receivers got from this home's processes, a line each. */
export const receivedIn = ({ folder }: Home) => join(folder, 'received.jsonl')
/** What a merchant's ERP holds, to be synced from. */
export const booksIn = ({ folder }: Home) => join(folder, 'books')

export async function openStore(home: Home): Promise<Store> {
  if (home.database === null) {
    const { sqliteStore } = await import('@quittance/store-sqlite')
    return sqliteStore({ filename: sqliteFileIn(home) })
  }
  const { postgresStore } = await import('@quittance/store-postgres')
  return postgresStore({ connectionString: home.database, connections: 2 })
}

export type RawRow = Readonly<Record<string, unknown>>
export type RawRows = ReadonlyMap<TableName, readonly RawRow[]>

/** Every committed row of every workspace, read past the store. */
export async function readRaw(home: Home): Promise<RawRows> {
  const rows = home.database === null ? await readSqlite(home) : await readPostgres(home.database)
  const sorted = (found: readonly RawRow[]) => found.toSorted((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1))
  return new Map(tableNames.map((name) => [name, sorted(rows.get(name) ?? [])]))
}

/** Of the rows and of the processor's ledger: the same for two homes that hold the same. */
export async function digestOf(home: Home): Promise<string> {
  const ledger = existsSync(ledgerIn(home)) ? readFileSync(ledgerIn(home)) : ''
  const rows = JSON.stringify([...(await readRaw(home))])
  return createHash('sha256').update(rows).update(ledger).digest('base64url')
}

const tableNames = Object.keys(tables).filter((name): name is TableName => name in tables)

async function readSqlite(home: Home): Promise<RawRows> {
  const { default: Database } = await import('better-sqlite3')
  const database = new Database(sqliteFileIn(home))
  const read = (name: TableName) => database.prepare<[], RawRow>(`SELECT * FROM "quittance_${name}"`).all()
  const rows = new Map(tableNames.map((name) => [name, read(name)]))
  database.close()
  return rows
}

async function readPostgres(connectionString: string): Promise<RawRows> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString })
  await client.connect()
  const of = (name: string) => `SELECT '${name}' AS "table", to_jsonb(t) AS "row" FROM quittance."${name}" t`
  const found = await client.query<{ table: TableName; row: RawRow }>(tableNames.map(of).join(' UNION ALL '))
  await client.end()
  const grouped = Map.groupBy(found.rows, ({ table }) => table)
  return new Map([...grouped].map(([name, rows]) => [name, rows.map(({ row }) => row)]))
}
