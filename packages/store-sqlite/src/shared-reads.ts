// Not the global one: in a host's tests that may be a fake, which never calls back.
import { setImmediate } from 'node:timers'
import type { SqlReader, SqlRow, Statement } from '@quittance/store-sql'
import type { Connection } from './database.ts'
import { type SyncDriver, sqliteDriver } from './sqlite-driver.ts'

/** After this many rounds in a row, timers, sockets and units of work have a turn. A request takes one to four. */
const most_rounds_in_a_row = 16

interface Read {
  run(): void
  failed(fault: unknown): void
}

/**
 * Reads outside units of work, on a connection of their own. Those requested in one turn of the event loop share a
 * transaction at its end; those requested right after the answers share the next one. Each sees what was committed
 * before it was requested, and fails alone. They are shared because locking and unlocking the database for a read
 * costs SQLite more than finding a row.
 */
export class SharedReads implements SqlReader {
  readonly #connection: Connection
  readonly #driver: SyncDriver
  #waiting: Read[] = []
  /** Whether a run is scheduled: for waiting reads, or for those that just answered callers may add. */
  #isAnswering = false
  #rounds_in_a_row = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#driver = sqliteDriver(connection)
  }

  all(statement: Statement, parameters: unknown[]): Promise<SqlRow[]> {
    return this.read((driver) => driver.all(statement, parameters))
  }

  read<Value>(work: (driver: SyncDriver) => Value): Promise<Value> {
    return new Promise((resolve, failed) => {
      const run = () => {
        try {
          resolve(work(this.#driver))
        } catch (fault) {
          failed(fault)
        }
      }
      this.#waiting.push({ run, failed })
      if (!this.#isAnswering) this.#runNextTurn()
      this.#isAnswering = true
    })
  }

  /** Resolves once nothing is waiting and no answered caller has added another read. */
  async idle(): Promise<void> {
    while (this.#isAnswering) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  #runAll(): void {
    const reads = this.#waiting
    this.#waiting = []
    this.#isAnswering = reads.length > 0
    if (!this.#isAnswering) return
    try {
      this.#driver.run(begin, [])
      for (const { run } of reads) run()
      // On a failing disk SQLite ends the transaction itself.
      if (this.#connection.inTransaction) this.#driver.run(commit, [])
    } catch (fault) {
      for (const { failed } of reads) failed(fault)
      this.#rollBack()
    }
    this.#rounds_in_a_row += 1
    if (this.#rounds_in_a_row === most_rounds_in_a_row) this.#runNextTurn()
    // A tick runs after all microtasks, and so after everything that callers do with their answers.
    else queueMicrotask(() => process.nextTick(() => this.#runAll()))
  }

  #runNextTurn(): void {
    this.#rounds_in_a_row = 0
    setImmediate(() => this.#runAll())
  }

  /** If it fails, the next BEGIN fails too, and the rollback is tried again: nobody is left waiting. */
  #rollBack(): void {
    try {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK')
    } catch {}
  }
}

const begin = { sql: 'BEGIN' }
const commit = { sql: 'COMMIT' }
