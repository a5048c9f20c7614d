import { createHash } from 'node:crypto'
// Not the global: in a host's tests that may be a fake, which goes off as soon as they pass the time.
import { clearTimeout, setTimeout } from 'node:timers'
import type { SqlRow, Statement } from '@quittance/store-sql'
import type { ClientBase, Connection, Submittable } from 'pg'
import { explained, sqlState } from '../faults.ts'

export interface Command {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

export interface Answer {
  readonly rows: SqlRow[]
  /** The command tag: `INSERT 0 1`, `COMMIT`. */
  readonly tag: string
}

export interface BatchOutcome {
  /** The answers of the commands that ran: the first ones, in order. */
  readonly answers: Answer[]
  /** What ended the batch early: a fault of the command after the last answer, or of the connection. */
  readonly fault?: unknown
}

/**
 * Sends commands in one round trip: each as a named statement, which a connection parses once, and a single Sync after
 * all of them, so that nothing runs after a command that fails. Never rejects.
 */
export function sendBatch(client: ClientBase, commands: readonly Command[]): Promise<BatchOutcome> {
  return new Promise((resolve) => {
    client.query(new Batch(client, commands, resolve))
  })
}

/** How many rows the command has written, which its tag ends with. */
export function rowsWritten({ tag }: Answer): number {
  return Number(tag.slice(tag.lastIndexOf(' ') + 1))
}

interface Column {
  readonly name: string
  readonly read: (text: string) => unknown
}

/** The columns of the statements that a connection has parsed, by statement name. */
const parsed = new WeakMap<ClientBase, Map<string, Column[]>>()

const asNumber = (text: string) => Number(text)
const asBoolean = (text: string) => text === 't'
const asText = (text: string) => text

/** By type oid: bool, int8, int2, int4. Everything else stays text, json too, which the row codec parses. */
const readers = new Map<number, Column['read']>([
  [16, asBoolean],
  [20, asNumber],
  [21, asNumber],
  [23, asNumber],
])

/** The longest wait for an answer, in case a connection died silently. */
const answer_ms = 30_000

/**
 * Has a timer of its own, not a `query_timeout` of `pg`: for that `pg` assigns a function literal to a property of each query,
 * and V8 keeps such a literal, and all that it can reach, until the next full garbage collection.
 */
class Batch implements Submittable {
  readonly #commands: readonly Command[]
  readonly #settle: (outcome: BatchOutcome) => void
  readonly #timer: NodeJS.Timeout
  readonly #parsed: Map<string, Column[]>
  readonly #parsing = new Set<string>()
  readonly #answers: Answer[] = []
  #columns: Column[] | undefined
  #rows: SqlRow[] = []
  /** If the host's pool has a `query_timeout`, `pg` replaces it, to stop a timer; up to 8.18 it calls this one then, too. */
  callback = () => {}

  constructor(client: ClientBase, commands: readonly Command[], settle: (outcome: BatchOutcome) => void) {
    this.#commands = commands
    this.#parsed = parsed.get(client) ?? new Map()
    parsed.set(client, this.#parsed)
    this.#settle = settle
    this.#timer = setTimeout(giveUp, answer_ms, this)
  }

  submit(connection: Connection): void {
    // The driver of Neon sends through a WebSocket, which has none.
    connection.stream.cork?.()
    for (const { statement, values } of this.#commands) {
      const name = nameOf(statement)
      if (!this.#parsed.has(name) && !this.#parsing.has(name)) this.#parse(connection, name, statement.sql)
      connection.bind({ statement: name, values: values.map(toText) }, true)
      connection.execute(null, true)
    }
    connection.sync()
    connection.stream.uncork?.()
  }

  /** Closes the name first: after a fault it may be parsed already, and closing an unknown name is allowed. */
  #parse(connection: Connection, name: string, text: string): void {
    this.#parsing.add(name)
    connection.close({ type: 'S', name }, true)
    connection.parse({ name, text, types: [] }, true)
    connection.describe({ type: 'S', name }, true)
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map((field) => ({
      name: field.name,
      read: readers.get(field.dataTypeID) ?? asText,
    }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#columns ??= this.#parsed.get(this.#running()) ?? []
    const row: SqlRow = {}
    for (let index = 0; index < this.#columns.length; index += 1) {
      const column = this.#columns[index]
      const text = fields[index]
      if (column !== undefined) row[column.name] = typeof text === 'string' ? column.read(text) : null
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const name = this.#running()
    if (this.#parsing.delete(name)) this.#parsed.set(name, this.#columns ?? [])
    this.#answers.push({ rows: this.#rows, tag: text })
    this.#rows = []
    this.#columns = undefined
  }

  handleReadyForQuery(): void {
    this.#end({ answers: this.#answers })
  }

  handleError(fault: unknown): void {
    // Somebody else deallocated them. A connection of our own is not used again, but that of a host whose transaction is joined.
    if (sqlState(fault) === '26000') this.#parsed.clear()
    this.#end({ answers: this.#answers, fault: explained(fault) })
  }

  #end(outcome: BatchOutcome): void {
    clearTimeout(this.#timer)
    this.callback()
    this.#settle(outcome)
  }

  /** The name of the statement whose answer is coming in. */
  #running(): string {
    const command = this.#commands[this.#answers.length]
    if (command === undefined) throw new Error('Postgres answers a statement that was not sent')
    return nameOf(command.statement)
  }
}

function giveUp(batch: Batch): void {
  batch.handleError(new Error(`no answer of Postgres within ${answer_ms} ms`))
}

const names = new WeakMap<Statement, string>()

/** The same text gets the same name, because two stores may share a connection of the host's pool. */
function nameOf(statement: Statement): string {
  const known = names.get(statement)
  if (known !== undefined) return known
  const name = `quittance_${createHash('sha256').update(statement.sql).digest('base64url').slice(0, 22)}`
  names.set(statement, name)
  return name
}

function toText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}
