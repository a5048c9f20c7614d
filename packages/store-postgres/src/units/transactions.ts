import type { Result, Scope, Transaction } from '@quittance/core'
import { Statements } from '@quittance/store-sql'
import type { PoolClient } from 'pg'
import type { Connections } from '../connections.ts'
import { unsharedDialect } from '../dialect.ts'
import { isConflict, isLocked, isTaken, NothingDone } from '../faults.ts'
import { CommitMarkers } from './commit-markers.ts'
import { PostgresTransaction, UnknownCommit } from './postgres-transaction.ts'
import { retrying } from './retrying.ts'
import { type RowOwners, type SharedTransaction, SharedUnit } from './shared-unit.ts'
import { isKept, type Outcome, Unit } from './unit.ts'

/** While this many transactions are running, units of work wait, and share the next one. */
const most_transactions = 4

/** Up to this many units that begin in one turn of the event loop get a transaction each, if enough are free. */
const few_units = 3

/** The most units that share a transaction. */
const most_units = 16

/** A transaction that takes longer keeps nobody waiting. */
export const slow_ms = 100

/** How long units stay apart after some that shared a transaction had to wait for a lock. */
const apart_ms = 1_000

interface Waiting {
  readonly unit: Unit
  /** `isDone`: the unit came to an outcome here. If not, it runs again alone. */
  resolve(isDone: boolean): void
  reject(fault: unknown): void
}

/**
 * Runs units of work, each in a transaction of its own while few begin at once, or are running. The others share one: most of
 * what a unit costs is its round trips, and units side by side take the same ones. If anything gets in the way (a lock, a
 * fault, a refusal after a write) they run again, each in a transaction of its own.
 */
export class Transactions {
  readonly #connections: Connections
  readonly #markers: CommitMarkers
  readonly #statements: Statements
  readonly #unshared: Statements
  readonly #owners: RowOwners = new Map()
  readonly #waiting: Waiting[] = []
  #under_way = 0
  /** No units share a transaction before `performance.now()` is this. */
  #apart_until_ms = 0

  constructor(connections: Connections, schema: string, statements: Statements) {
    this.#connections = connections
    this.#markers = new CommitMarkers(connections, schema)
    this.#statements = statements
    this.#unshared = new Statements(unsharedDialect(schema))
  }

  run<Value, Refusal>(
    scope: Scope,
    work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    const unit = new Unit(scope, work)
    return this.#connections.admit(async () => {
      await retrying((because) => this.#attempt(unit, because))
      return unit.result()
    })
  }

  /** Throws `NothingDone` if another attempt is allowed. */
  async #attempt(unit: Unit, because: unknown): Promise<void> {
    if (because !== undefined || this.#isApart()) return this.#alone(unit, because)
    const isDone = await new Promise<boolean>((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject })
      if (this.#waiting.length === 1) process.nextTick(() => this.#next(few_units))
    })
    if (!isDone) await this.#counted(this.#alone(unit))
  }

  /** Counts the transaction as running until it ends, but no longer than `slow_ms`. */
  async #counted(running: Promise<void>): Promise<void> {
    let counts = true
    const end = () => {
      if (!counts) return
      counts = false
      this.#under_way -= 1
      this.#next()
    }
    this.#under_way += 1
    const timer = setTimeout(end, slow_ms)
    try {
      await running
    } finally {
      clearTimeout(timer)
      end()
    }
  }

  /** Begins what waits, as far as there are transactions for it. */
  #next(few = 1): void {
    for (;;) {
      const free = most_transactions - this.#under_way
      if (this.#isApart() || this.#waiting.length <= Math.min(few, free)) {
        for (const { resolve } of this.#waiting.splice(0)) resolve(false)
        return
      }
      if (free <= 0) return
      void this.#counted(this.#together(this.#waiting.splice(0, most_units)))
    }
  }

  async #together(waiting: readonly Waiting[]): Promise<void> {
    const members: SharedUnit[] = []
    const failed = await this.#onConnection(async (client) => {
      const transaction = new PostgresTransaction(client, await this.#markers.of(client), { isShared: true })
      const sharing = { transaction, members, owners: this.#owners }
      for (const { unit } of waiting) members.push(new SharedUnit(unit, sharing))
      await this.#share(sharing, client)
    }).catch((fault) => ({ fault }))
    for (const [index, { resolve, reject }] of waiting.entries()) {
      const isDone = members[index]?.settle() ?? false
      if (failed === undefined) resolve(isDone)
      else reject(failed.fault)
    }
  }

  async #share({ transaction, members }: SharedTransaction, client: PoolClient): Promise<void> {
    await whileConnected(client, Promise.all(members.map((member) => member.work(this.#statements))))
    const isSound = transaction.fault === undefined && !members.some((member) => member.spoils)
    if (isSound && (await transaction.commit(this.#markers)) === undefined) return
    for (const member of members) member.undo()
    if (isLocked(transaction.fault?.cause)) this.#keepApart(performance.now() + apart_ms)
    await transaction.rollback()
  }

  async #alone(unit: Unit, because?: unknown): Promise<void> {
    const statements = isConflict(because) ? this.#unshared : this.#statements
    await this.#onConnection(async (client) => {
      const transaction = new PostgresTransaction(client, await this.#markers.of(client), { isShared: false })
      const native = () => {
        // What a listener of the host does there is not known here, and could meet what another unit does.
        this.#keepApart(Number.POSITIVE_INFINITY)
        return transaction.native()
      }
      const running = unit.run({ statements, driver: transaction, native })
      let outcome: Outcome = await whileConnected(client, running)
      // Before COMMIT, whose answer may be lost.
      unit.settle(outcome)
      if (isKept(outcome) && transaction.fault === undefined) {
        const failed = await transaction.commit(this.#markers)
        if (failed === undefined) return
        outcome = failed
      }
      await transaction.rollback()
      const fault = transaction.fault?.cause
      if (isConflict(fault) || isTaken(fault)) throw new NothingDone(fault)
      // The conflict may have hit a statement of the host.
      if ('thrown' in outcome && isConflict(outcome.thrown)) throw new NothingDone(outcome.thrown)
      unit.settle('result' in outcome && fault !== undefined ? { thrown: fault } : outcome)
    })
  }

  #isApart(): boolean {
    return performance.now() < this.#apart_until_ms
  }

  #keepApart(until_ms: number): void {
    this.#apart_until_ms = Math.max(this.#apart_until_ms, until_ms)
  }

  /** If the answer to a COMMIT is lost, finds out what became of it. */
  async #onConnection(use: (client: PoolClient) => Promise<void>): Promise<void> {
    try {
      await this.#connections.lend(use)
    } catch (fault) {
      if (!(fault instanceof UnknownCommit)) throw fault
      if (!(await hasCommitted(fault, this.#markers))) throw new NothingDone(fault.cause)
    }
  }
}

/** Ends with the connection too: a listener may wait for something else, until Postgres ends the session. */
async function whileConnected<Value>(client: PoolClient, running: Promise<Value>): Promise<Value> {
  const lost = Promise.withResolvers<never>()
  const lose = (fault: unknown) => lost.reject(new NothingDone(fault))
  client.once('error', lose)
  try {
    return await Promise.race([running, lost.promise])
  } finally {
    client.removeListener('error', lose)
  }
}

async function hasCommitted({ marker, cause }: UnknownCommit, markers: CommitMarkers): Promise<boolean> {
  try {
    return await retrying(() => markers.hasCommitted(marker))
  } catch (fault) {
    throw new Error(
      'the connection to Postgres was lost at COMMIT, and it could not be asked whether that has happened',
      { cause: new AggregateError([cause, fault]) },
    )
  }
}
