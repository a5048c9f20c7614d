import { availableParallelism } from 'node:os'
import { tables } from '@quittance/core'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { compareStores, type HistoryStore } from '@quittance/testing'
import Database from 'better-sqlite3'
import pg from 'pg'
import { inProcesses, type Portion } from './portions.ts'
import { openDatabase, type ProofDatabase } from './processes/postgres.ts'
import { readNumbers } from './read-numbers.ts'

export interface Differing {
  seed: number
  differences: string[]
}

/** `--count 100000 --seed 1 --processes 2` */
export async function histories(options: string[]): Promise<{ violations: number }> {
  const defaults = { count: 100_000, seed: 1, processes: availableParallelism() }
  const { count, seed, processes } = readNumbers(options, defaults)
  const seeds = { first: seed, count }
  const differing: Differing[] = []
  const began_ms = performance.now()
  const played = await inProcesses<Differing[]>({
    child: new URL('./histories-child.ts', import.meta.url),
    seeds,
    portion: 50,
    processes,
    found(some) {
      differing.push(...some)
      return differing.length > 100
    },
  })
  print(differing, { ...seeds, count: played }, (performance.now() - began_ms) / 1000)
  return { violations: differing.length }
}

/** Plays each history in memory and on the stores, and reports those that ended differently there. */
export async function playPortion(
  stores: readonly HistoryStore[],
  { first, count }: Portion,
): Promise<Differing[]> {
  const differing: Differing[] = []
  for (let seed = first; seed < first + count; seed += 1) {
    const differences = await compareStores(seed, stores)
    if (differences.length > 0) differing.push({ seed, differences })
  }
  return differing
}

/** SQLite in memory, and Postgres without waiting for the disk: rows are compared, not their durability. */
export async function openHistoryStores(): Promise<{
  stores: HistoryStore[]
  close(): Promise<void>
}> {
  const database = await openDatabase()
  const sqlite = await openSqlite()
  const postgres = await openPostgres(database)
  return {
    stores: [sqlite, postgres],
    async close() {
      await sqlite.store.close()
      await postgres.store.close()
      await database.close()
    },
  }
}

async function openSqlite(): Promise<HistoryStore> {
  const database = new Database(':memory:')
  const store = sqliteStore({ database })
  await store.migrate()
  const emptying = deletions((table) => `quittance_${table}`)
  return { name: 'SQLite', store, empty: async () => void database.exec(emptying) }
}

async function openPostgres({ connectionString, schema, pool }: ProofDatabase): Promise<HistoryStore> {
  const unhurried = new pg.Pool({ connectionString, max: 4, options: '-c synchronous_commit=off' })
  unhurried.on('error', () => {})
  const store = postgresStore({ pool: unhurried, schema, notify: false })
  await store.migrate()
  const emptying = deletions((table) => `"${schema}".${table}`)
  const close = async () => {
    await store.close()
    await unhurried.end()
  }
  return {
    name: 'Postgres',
    store: { ...store, close },
    empty: async () => void (await pool.query(emptying)),
  }
}

/** Quicker than truncating, for tables of a few rows each. */
function deletions(nameOf: (table: string) => string): string {
  return Object.keys(tables)
    .map((table) => `DELETE FROM ${nameOf(table)};`)
    .join(' ')
}

function print(differing: readonly Differing[], { first, count }: Portion, seconds: number): void {
  for (const { seed, differences } of differing.slice(0, 20)) console.log(`seed ${seed}: ${differences[0]}`)
  const each_ms = ((seconds * 1000) / count).toFixed(1)
  console.log(
    `${count} histories from seed ${first} on three stores in ${seconds.toFixed(1)} s, ${each_ms} ms each:`,
  )
  console.log(`${differing.length} that came out differently`)
}
