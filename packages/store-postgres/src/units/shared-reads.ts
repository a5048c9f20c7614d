import type { SqlReader, SqlRow, Statement } from '@quittance/store-sql'
import type { Connections } from '../connections.ts'
import { isLoss, NothingDone, retriable } from '../faults.ts'
import { type Command, sendBatch } from './batch.ts'
import { patience } from './one-trip.ts'
import { retrying } from './retrying.ts'

/** The most reads that share a round trip, because the first of them waits for the answer of the last. */
const most_together = 16

interface Read extends Command {
  answered(rows: SqlRow[]): void
  failed(fault: unknown): void
}

/**
 * Reads outside units of work. Those that wait for a connection at the same time share it and a round trip. Each sees
 * what is committed when it runs, and fails alone.
 */
export class SharedReads implements SqlReader {
  readonly #connections: Connections
  #waiting: Read[] = []
  /** How many `#take`s wait for a connection: always enough for the waiting reads, because a closing store admits no more. */
  #takers = 0

  constructor(connections: Connections) {
    this.#connections = connections
  }

  all(statement: Statement, values: unknown[]): Promise<SqlRow[]> {
    return retrying(
      () =>
        new Promise((answered, failed) => {
          this.#waiting.push({ statement, values, answered, failed })
          if (this.#waiting.length > this.#takers * most_together) void this.#take()
        }),
    )
  }

  async #take(): Promise<void> {
    this.#takers += 1
    let taken: Read[] | undefined
    try {
      await this.#connections.using(async (client) => {
        taken = this.#takeSome()
        const { answers, fault } = await sendBatch(client, [patience, ...taken])
        answers.shift() // of `patience`
        for (const [index, { rows }] of answers.entries()) taken[index]?.answered(rows)
        if (fault === undefined) return
        const [failing, ...behind] = taken.slice(answers.length)
        failing?.failed(retriable(fault))
        for (const read of behind) read.failed(new NothingDone(fault))
        if (isLoss(fault)) throw fault
      })
    } catch (fault) {
      // If there was no connection to get, the reads that it was for fail.
      for (const read of taken ?? this.#takeSome()) read.failed(fault)
    }
  }

  #takeSome(): Read[] {
    this.#takers -= 1
    return this.#waiting.splice(0, most_together)
  }
}
