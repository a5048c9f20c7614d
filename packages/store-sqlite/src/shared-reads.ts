import type { SqlReader, SqlRow, Statement } from '@quittance/store-sql'
import type { Connection } from './database.ts'
import { type SyncDriver, sqliteDriver } from './sqlite-driver.ts'

interface Read {
  run(): void
  failed(fault: unknown): void
}

/**
 * Reads outside of units of work, on a connection of their own. Those that are asked for in one turn of the event loop
 * are made together at its end, and so is what is asked for as soon as they are answered; each sees what was committed
 * before it was asked for, and fails alone. To lock the database for reading and let go of it again costs SQLite more
 * than to find a row.
 */
export class SharedReads implements SqlReader {
  readonly #connection: Connection
  readonly #driver: SyncDriver
  #waiting: Read[] = []
  /** Whether those who wait are still to be answered in this turn, or may yet ask for more. */
  #isAnswering = false

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
      if (!this.#isAnswering) setImmediate(() => this.#runAll())
      this.#isAnswering = true
    })
  }

  /** Resolves once nobody is waiting, nor has asked for more as soon as he was answered. */
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
      // A disk that fails makes SQLite end the transaction itself.
      if (this.#connection.inTransaction) this.#driver.run(commit, [])
    } catch (fault) {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK')
      for (const { failed } of reads) failed(fault)
    }
    // Ticks come after all that follows from the answers.
    queueMicrotask(() => process.nextTick(() => this.#runAll()))
  }
}

const begin = { sql: 'BEGIN' }
const commit = { sql: 'COMMIT' }
