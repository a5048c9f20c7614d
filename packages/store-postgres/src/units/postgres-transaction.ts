import type { SqlDriver, SqlRow, Statement } from '@quittance/store-sql'
import type { PoolClient } from 'pg'
import { isLoss, isOutdated, NothingDone, sqlState } from '../faults.ts'
import { type Answer, type BatchOutcome, type Command, rowsWritten, sendBatch } from './batch.ts'
import type { CommitMarkers, Marker } from './commit-markers.ts'
import { type Asked, merged } from './merge-commands.ts'
import { begin, bounded, commit, durable, rollback } from './one-trip.ts'

/** The most writes that wait for the next statement that needs an answer; beyond that they are sent without one. */
const most_waiting = 256

/** How long the transaction of a frozen or disconnected process can hold its locks. */
const idle_in_transaction_ms = 15_000

/** How long units that share a transaction wait for a lock. Short: all of them wait, and perhaps for more than one lock. */
const lock_ms = 50

/** Until COMMIT: after it the session has its previous settings again. Merged commands have arrays with NULL in them. */
const settings = `SELECT set_config('idle_in_transaction_session_timeout', $1, true), set_config('array_nulls', 'on', true), ${durable}`
const settings_alone: Command = {
  statement: { sql: `${settings}, ${bounded}` },
  values: [idle_in_transaction_ms],
}
const settings_shared: Command = {
  statement: { sql: `${settings}, set_config('lock_timeout', $2, true)` },
  values: [idle_in_transaction_ms, lock_ms],
}

/** Postgres refuses it (25P01) where a listener has ended the transaction; COMMIT would be answered as ever. */
const still_open: Command = { statement: { sql: 'SAVEPOINT quittance_end' }, values: [] }

const lacks_commits =
  'the database lacks commits of this connection: it is another server, or a backup was restored'

/** The connection was lost while a COMMIT was on its way. */
export class UnknownCommit extends Error {
  readonly marker: Marker

  constructor(marker: Marker, cause: unknown) {
    super('the answer to a COMMIT was lost', { cause })
    this.marker = marker
  }
}

/**
 * A transaction on one connection, in few round trips: BEGIN is sent with the first statement that needs an answer, a
 * write with the next such statement or with COMMIT. After a fault only ROLLBACK is sent.
 */
export class PostgresTransaction implements SqlDriver {
  readonly #client: PoolClient
  readonly #marker: Marker
  readonly #settings: Command
  #waiting: Asked[] = []
  /** Resolves when everything is answered that has been sent or is scheduled to be. */
  #answered: Promise<unknown> = Promise.resolve()
  #scheduled = false
  #begun = false
  #wrote = false
  #is_lent = false
  #fault: { readonly cause: unknown; readonly lost: boolean } | undefined

  constructor(client: PoolClient, marker: Marker, { isShared }: { isShared: boolean }) {
    this.#client = client
    this.#marker = marker
    this.#settings = isShared ? settings_shared : settings_alone
  }

  async all(statement: Statement, values: unknown[]): Promise<SqlRow[]> {
    return (await this.#ask(statement, values)).rows
  }

  async run(statement: Statement, values: unknown[]): Promise<number> {
    this.#wrote = true
    return rowsWritten(await this.#ask(statement, values))
  }

  async write(statement: Statement, values: unknown[]): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault.cause
    this.#wrote = true
    this.#waiting.push({ statement, values })
    if (this.#waiting.length >= most_waiting) await this.#soon()
  }

  /** The connection, for the host's own statements. Sends ours first, so that the host's come after them. */
  native(): PoolClient {
    this.#wrote = true
    this.#is_lent = true
    this.#answered = Promise.all([this.#answered, this.#send()])
    return this.#client
  }

  /** The first fault of the database or the connection, whether or not `work` has seen it. */
  get fault(): { readonly cause: unknown } | undefined {
    return this.#fault
  }

  /**
   * Returns what made it fail, if anything did. Throws `UnknownCommit` if the answer is lost, and `NothingDone` where the marker
   * is outdated: like one that is lost, the connection is closed then, and the next has another marker.
   */
  async commit(markers: CommitMarkers): Promise<{ thrown: unknown } | undefined> {
    await this.#answered
    if (!this.#begun && this.#waiting.length === 0) return undefined
    const tags: string[] = []
    const answered = ({ tag }: Answer) => void tags.push(tag)
    if (this.#is_lent) this.#waiting.unshift(still_open)
    if (this.#wrote) this.#waiting.push({ ...markers.raise(this.#marker), answered })
    this.#waiting.push({ ...commit, answered })
    await this.#send()
    if (tags.at(-1) === 'COMMIT') {
      if (this.#wrote) markers.raised(this.#client, this.#marker, tags[0] ?? '')
      return undefined
    }
    const fault = this.#fault
    // The host ignored a failure of its own statement: 25P02, or Postgres answers the COMMIT with ROLLBACK.
    if (fault === undefined || sqlState(fault.cause) === '25P02') {
      return { thrown: new Error('a statement of the host has failed, and with it the transaction') }
    }
    if (sqlState(fault.cause) === '25P01')
      return { thrown: new Error('a listener has ended the transaction') }
    if (isOutdated(fault.cause)) throw new NothingDone(new Error(lacks_commits, { cause: fault.cause }))
    if (fault.lost && this.#wrote) throw new UnknownCommit(this.#marker, fault.cause)
    return { thrown: fault.cause }
  }

  /** Throws `NothingDone` if the connection was lost. */
  async rollback(): Promise<void> {
    this.#waiting = []
    await this.#answered
    const fault = this.#fault
    if (fault?.lost) throw new NothingDone(fault.cause)
    if (!this.#begun) return
    const outcome = await sendBatch(this.#client, [rollback])
    if (outcome.fault !== undefined) throw new NothingDone(outcome.fault)
  }

  #ask(statement: Statement, values: unknown[]): Promise<Answer> {
    return new Promise((answered, failed) => {
      this.#waiting.push({ statement, values, answered, failed })
      void this.#soon()
    })
  }

  /** Sends what is waiting at the end of this turn, once everything sent before has been answered. */
  #soon(): Promise<unknown> {
    if (!this.#scheduled) {
      this.#scheduled = true
      this.#answered = this.#answered.then(endOfTurn).then(() => {
        this.#scheduled = false
        return this.#send()
      })
    }
    return this.#answered
  }

  /** The statements are on their way as soon as this has been called. Never rejects. */
  async #send(): Promise<void> {
    const commands = merged(this.#waiting)
    this.#waiting = []
    if (this.#fault !== undefined) return this.#fail(commands, this.#fault.cause)
    if (!this.#begun) commands.unshift(begin, this.#settings)
    this.#begun = true
    if (commands.length > 0) this.#take(commands, await sendBatch(this.#client, commands))
  }

  #take(commands: readonly Asked[], { answers, fault }: BatchOutcome): void {
    for (const [index, answer] of answers.entries()) commands[index]?.answered?.(answer)
    if (fault === undefined) return
    this.#fault ??= { cause: fault, lost: isLoss(fault) }
    this.#fail(commands.slice(answers.length), this.#fault.cause)
  }

  #fail(commands: readonly Asked[], cause: unknown): void {
    for (const command of commands) command.failed?.(cause)
  }
}

/** Resolves after all pending microtasks: a tick runs when they are done. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
