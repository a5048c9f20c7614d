import { randomUUID } from 'node:crypto'
import type { Statement } from '@quittance/store-sql'
import type { PoolClient } from 'pg'
import type { Connections } from '../connections.ts'
import { isLocked, NothingDone, retriable } from '../faults.ts'
import { quoted } from '../quoting.ts'
import { type Command, sendBatch } from './batch.ts'
import { inOneTrip, patient } from './one-trip.ts'

/** Markers unused for this long are deleted. If the connection is still open, it gets a new one. */
const kept_ms = 24 * 60 * 60 * 1000

/** Old markers are deleted once per this many new ones, because that reads the whole table. */
const forgets_every = 100

/**
 * After this many commits a connection gets a new marker. While somebody holds a snapshot, as a backup does, Postgres keeps
 * every version of a row, and each update passes them all: after 30,000 commits one took eight times as long.
 */
const most_commits = 1_000

/** How long to wait for a marker that the transaction of a lost connection still holds. */
const lock_ms = 5_000

/** The number of units of work that this connection has committed, as in its row. */
export interface Marker {
  readonly connection: string
  commits: number
}

/**
 * Every unit of work that writes also raises its connection's number of commits, in the same transaction. If the
 * answer to a COMMIT is lost, the number tells whether it happened. If it has not, asking changes the number, so that
 * a commit that is still on its way fails to raise it.
 */
export class CommitMarkers {
  readonly #connections: Connections
  readonly #known = new WeakMap<PoolClient, Marker>()
  #registered = Math.floor(Math.random() * forgets_every)
  readonly #statements: ReturnType<typeof markerStatements>

  constructor(connections: Connections, schema: string) {
    this.#connections = connections
    this.#statements = markerStatements(schema)
  }

  /** The marker of this connection, committed before its first use. */
  async of(client: PoolClient): Promise<Marker> {
    const known = this.#known.get(client)
    if (known !== undefined && known.commits < most_commits) return known
    const marker = { connection: randomUUID(), commits: 0 }
    const { forget, register, replace } = this.#statements
    const { fault } = await sendBatch(client, [
      ...(this.#registered % forgets_every === 0 ? [{ statement: forget, values: [kept_ms] }] : []),
      known === undefined
        ? { statement: register, values: [marker.connection] }
        : { statement: replace, values: [marker.connection, known.connection] },
    ])
    if (fault !== undefined) throw retriable(fault)
    this.#registered += 1
    this.#known.set(client, marker)
    return marker
  }

  /** The command that counts a commit. It fails, by setting null, if the row's number is not the expected one. */
  raise({ connection, commits }: Marker): Command {
    return { statement: this.#statements.raise, values: [connection, commits] }
  }

  /** To call once `raise` is committed. If another process deleted the row as too old, a new one is made. */
  raised(client: PoolClient, marker: Marker, tag: string): void {
    marker.commits += 1
    if (tag !== 'UPDATE 1') this.#known.delete(client)
  }

  /** Whether the commit that was to raise the marker has happened. If not, it can no longer happen after this. */
  async hasCommitted({ connection, commits }: Marker): Promise<boolean> {
    const commands = [
      { statement: patient, values: [lock_ms] },
      { statement: this.#statements.settle, values: [connection, commits + 1] },
    ]
    try {
      const [, rows] = await this.#connections.lend((client) => inOneTrip(client, commands))
      const [row] = rows ?? []
      if (row === undefined) throw new Error('the row that says what became of a COMMIT is gone')
      return row.commits === commits + 1
    } catch (fault) {
      // The transaction still holds the row.
      throw isLocked(fault) ? new NothingDone(fault) : fault
    }
  }
}

function markerStatements(schema: string) {
  const table = `${quoted(schema)}."commit_markers"`
  const as = (sql: string): Statement => ({ sql })
  return {
    forget: as(`DELETE FROM ${table} WHERE "used_at" < now() - $1::bigint * interval '1 millisecond'`),
    register: as(`INSERT INTO ${table} ("connection", "commits", "used_at") VALUES ($1, 0, now())`),
    replace: as(`
WITH "replaced" AS (DELETE FROM ${table} WHERE "connection" = $2)
INSERT INTO ${table} ("connection", "commits", "used_at") VALUES ($1, 0, now())`),
    raise: as(`
UPDATE ${table} SET "commits" = CASE "commits" WHEN $2::bigint THEN "commits" + 1 END, "used_at" = now()
WHERE "connection" = $1`),
    settle: as(`
UPDATE ${table} SET "commits" = CASE WHEN "commits" = $2::bigint THEN "commits" ELSE -1 END
WHERE "connection" = $1 RETURNING "commits"`),
  }
}
