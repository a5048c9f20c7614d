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
import { UnitQueue } from './unit-queue.ts'

/** How long units stay apart after some that shared a transaction had to wait for a lock. */
const apart_ms = 1_000

/**
 * Runs units of work, each in a transaction of its own or in one that it shares, as `UnitQueue` decides. If anything gets in
 * the way there (a lock, a fault, a refusal after a write) units run again, each in a transaction of its own. From the first
 * time that a listener of the host asks for the connection, no unit shares a transaction.
 */
export class Transactions {
  readonly #connections: Connections
  readonly #markers: CommitMarkers
  readonly #statements: Statements
  readonly #unshared: Statements
  readonly #owners: RowOwners = new Map()
  readonly #queue = new UnitQueue({
    alone: (unit) => this.#alone(unit),
    together: (units) => this.#together(units),
  })

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
      await retrying((because) =>
        because === undefined ? this.#queue.run(unit) : this.#alone(unit, because),
      )
      return unit.result()
    })
  }

  /** Returns whether each came to an outcome here. */
  async #together(units: readonly Unit[]): Promise<boolean[]> {
    const members: SharedUnit[] = []
    try {
      await this.#onConnection(async (client) => {
        const transaction = new PostgresTransaction(client, await this.#markers.of(client), {
          isShared: true,
        })
        const sharing = { transaction, members, owners: this.#owners }
        for (const unit of units) members.push(new SharedUnit(unit, sharing))
        await this.#share(sharing, client)
      })
    } finally {
      for (const member of members) member.releaseRows()
    }
    return members.map((member) => member.settle())
  }

  async #share({ transaction, members }: SharedTransaction, client: PoolClient): Promise<void> {
    await whileConnected(client, Promise.all(members.map((member) => member.work(this.#statements))))
    const isSound = transaction.fault === undefined && !members.some((member) => member.spoils)
    if (isSound && (await transaction.commit(this.#markers)) === undefined) return
    for (const member of members) member.rerun()
    if (isLocked(transaction.fault?.cause)) this.#queue.keepApart(apart_ms)
    await transaction.rollback()
  }

  /** `because`: what ended its attempt before. Throws `NothingDone` if another attempt is allowed. */
  async #alone(unit: Unit, because?: unknown): Promise<void> {
    const statements = isConflict(because) ? this.#unshared : this.#statements
    await this.#onConnection(async (client) => {
      const transaction = new PostgresTransaction(client, await this.#markers.of(client), { isShared: false })
      const native = () => {
        // What a listener of the host does there is not known here, and could meet what another unit does.
        this.#queue.neverShareAgain()
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
