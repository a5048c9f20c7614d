import { isDeepStrictEqual } from 'node:util'
import type { Store, TableName } from '@quittance/core'
import { type Rows, readRows } from '../invariants/rows.ts'
import { play } from './simulate.ts'
import type { World } from './world.ts'

/** A store that histories are played on, one after another. */
export interface HistoryStore {
  name: string
  store: Store
  /** Deletes every row, so that the next history begins empty. */
  empty(): Promise<void>
}

/**
 * Plays one history on every store, with all faults of its seed, and returns what differs (M51): what happened on the way,
 * and every row at the end. Ids are seeded, so rows are compared as they are.
 */
export async function compareStores(seed: number, stores: readonly HistoryStore[]): Promise<string[]> {
  const first = await ending(await play({ seed }))
  const differences = [...first.broken]
  for (const { name, store, empty } of stores) {
    const other = await ending(await play({ seed, store }))
    await empty()
    differences.push(...other.broken.map((broken) => `${name}: ${broken}`))
    const difference = firstDifference(first, other)
    if (difference !== null) differences.push(`${name}: ${difference}`)
  }
  return differences
}

interface Ending {
  trace: string[]
  rows: Rows[]
  broken: string[]
}

/** Reads the rows from the store: they must equal those in the witness's book, too. */
async function ending({ store, places, trace, witness }: World): Promise<Ending> {
  const broken = witness.violations.map(({ invariant, detail }) => `${invariant}: ${detail}`)
  const rows: Rows[] = []
  for (const { scope } of places) {
    const kept = await readRows(store, scope)
    const table = differentTable(kept, witness.book.rows(scope))
    if (table !== null) broken.push(`M51: ${table} holds other rows than were committed`)
    rows.push(kept)
  }
  return { trace: trace.lines(), rows, broken }
}

function firstDifference(first: Ending, other: Ending): string | null {
  const line = first.trace.findIndex((told, index) => told !== other.trace[index])
  if (line >= 0) return `M51: it went another way at "${first.trace[line]}": "${other.trace[line]}"`
  for (const [place, rows] of first.rows.entries()) {
    const table = differentTable(rows, other.rows[place])
    if (table !== null) return `M51: ${table} ended otherwise`
  }
  return null
}

function differentTable(rows: Rows, others: Rows | undefined): string | null {
  const names = Object.keys(rows) as TableName[]
  return names.find((name) => !isDeepStrictEqual(rows[name], others?.[name])) ?? null
}
