// Not the global one: in a host's tests that may be a fake, which never calls back.
import { setImmediate } from 'node:timers'
import { isError } from '@quittance/core'
import { busyCode, type Connection, pathOf } from './database.ts'
import { fileGuard } from './file-guard.ts'
import { patience_ms, tryUntil } from './try-until.ts'

/** The most units that share a commit. Measured: 32 commit 10 times as many units as 1, more add little. */
const group_size = 64

const reads_are_held_up =
  'A database in memory is read between units of work, and one of them does not end. If it waits for this read: in a listener, use `engine.withTransaction(tx)`.'

/** By the host, on whose connection the store is. Or an iterator that a listener has left open kept it from being rolled back. */
const stays_open =
  'a transaction stays open on the store’s connection: end it first, or write in it with `engine.withTransaction`'

const ended_within =
  'the transaction was rolled back or committed within a unit of work, by a listener or because the store was closed'

interface UnitOptions<Value> {
  /** Whether to keep what the work has written, given its value; by default always. If it throws, nothing is kept. */
  isKept?: (value: Value) => boolean
  /**
   * False: a power failure may undo it. A group of only such units does not wait for the disk; the next commit that does
   * makes them durable too.
   */
  lasting?: boolean
}

interface Unit {
  readonly lasting: boolean
  /** Runs the work, and tells whether to keep what it wrote, and what it threw, if anything. */
  run(): Promise<{ commit: boolean; fault?: unknown }>
  /** Tells the caller the outcome of the unit. */
  settle(): void
  /** Tells the caller that the whole group failed. */
  reject(fault: unknown): void
}

/**
 * Group commit. Units that wait at the same time run one after another, each in a savepoint of its own, inside one BEGIN
 * IMMEDIATE … COMMIT. Callers get their outcome, even a refusal, only after the COMMIT, because an outcome may depend on what
 * an earlier unit of the group wrote.
 */
export class CommitQueue {
  readonly #connection: Connection
  readonly #statements: ReturnType<typeof controlStatements>
  readonly #patience_ms: number
  readonly #guard: () => void
  readonly #waiting: Unit[] = []
  readonly #reading = new Set<Promise<unknown>>()
  #gap: (() => void)[] = []
  #idle: (() => void)[] = []
  #working = false
  #grouping = false
  #syncing = true
  /** A transaction of ours could not be ended. */
  #isLeftOpen = false

  constructor(connection: Connection, options: { patience_ms?: number } = {}) {
    this.#connection = connection
    this.#guard = connection.file === null ? () => {} : fileGuard(pathOf(connection))
    this.#statements = controlStatements(connection)
    this.#patience_ms = options.patience_ms ?? patience_ms
  }

  unit<Value>(
    work: () => Promise<Value>,
    { isKept = () => true, lasting = true }: UnitOptions<Value> = {},
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      let settle = () => {}
      const run = async () => {
        try {
          const value = await work()
          settle = () => resolve(value)
          return { commit: isKept(value) }
        } catch (fault) {
          settle = () => reject(fault)
          return { commit: false, fault }
        }
      }
      this.#waiting.push({ lasting, run, settle: () => settle(), reject })
      if (this.#working) return
      this.#working = true
      setImmediate(() => this.#work())
    })
  }

  /**
   * Runs reads on the same connection while no group is open. Rejects after `patience_ms`: the open group is probably
   * waiting for this read.
   */
  async between<Value>(work: () => Promise<Value>): Promise<Value> {
    while (this.#grouping) await this.#nextGap()
    const reading = work()
    this.#reading.add(reading)
    try {
      return await reading
    } finally {
      this.#reading.delete(reading)
    }
  }

  async #nextGap(): Promise<void> {
    const gap = Promise.withResolvers<void>()
    const giveUp = () => gap.reject(new Error(reads_are_held_up))
    const timer = setTimeout(giveUp, this.#patience_ms)
    this.#gap.push(gap.resolve)
    await gap.promise.finally(() => clearTimeout(timer))
  }

  /** Resolves once nothing is waiting any more. */
  async idle(): Promise<void> {
    while (this.#working) await new Promise<void>((resolve) => this.#idle.push(resolve))
    await Promise.allSettled(this.#reading)
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Reads may begin until none is left, because a running read may be waiting for another one that it has begun.
      while (this.#reading.size > 0) await Promise.allSettled(this.#reading)
      this.#grouping = true
      await this.#group()
      this.#grouping = false
      for (const resume of this.#gap.splice(0)) resume()
      // One turn of the event loop, so that requests that arrived during the commit join the next group.
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    this.#working = false
    for (const resume of this.#idle.splice(0)) resume()
  }

  async #group(): Promise<void> {
    const waiting = this.#waiting.length
    const lasting = this.#waiting.some((unit) => unit.lasting)
    try {
      await this.#begin(lasting)
    } catch (fault) {
      // No unit has run. All that were waiting when BEGIN was first tried fail: if only one group did, the next would wait as
      // long again, and the last of many for minutes.
      for (const unit of this.#waiting.splice(0, waiting)) unit.reject(fault)
      return
    }
    const units: Unit[] = []
    try {
      while (units.length < group_size) {
        const [unit] = this.#waiting
        if (unit === undefined || (unit.lasting && !lasting)) break
        this.#waiting.shift()
        units.push(unit)
        await this.#runUnit(unit)
      }
      this.#statements.commit.run()
      this.#guard()
    } catch (fault) {
      for (const unit of units) unit.reject(fault)
      // Nobody reads meanwhile. Once patience is over, the rollback is tried again before each BEGIN.
      await tryUntil(() => this.#rollBack(), this.#patience_ms)
      return
    }
    for (const unit of units) unit.settle()
  }

  async #runUnit(unit: Unit): Promise<void> {
    this.#statements.savepoint.run()
    const { commit, fault } = await unit.run()
    // On a full or failing disk SQLite rolls back the whole transaction, and with it the group.
    if (!this.#connection.inTransaction) {
      if (!isError(fault)) throw new Error(ended_within)
      throw new Error(`SQLite has rolled back the transaction: ${fault.message}`, { cause: fault })
    }
    if (!commit) this.#statements.rollback.run()
    this.#statements.release.run()
  }

  /** False if it cannot be done, as long as a listener leaves an iterator open. */
  #rollBack(): boolean {
    try {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK')
      this.#isLeftOpen = false
    } catch {
      this.#isLeftOpen = true
    }
    return !this.#isLeftOpen
  }

  /** In WAL mode a commit waits for the disk only if `synchronous` is FULL. */
  #sync(lasting: boolean): void {
    if (lasting !== this.#syncing)
      this.#connection.exec(`PRAGMA synchronous = ${lasting ? 'FULL' : 'NORMAL'}`)
    this.#syncing = lasting
  }

  /** Other processes hold the lock for a few milliseconds at a time. */
  async #begin(lasting: boolean): Promise<void> {
    let reason: unknown
    const begun = await tryUntil(() => {
      try {
        if (this.#isLeftOpen) this.#rollBack()
        // On the host's connection the host may have a transaction open itself. That must not be ended here.
        reason = new Error(stays_open)
        if (this.#connection.inTransaction) return false
        this.#sync(lasting)
        this.#statements.begin.run()
        return true
      } catch (fault) {
        if (busyCode(fault) === null) throw fault
        reason = fault
        return false
      }
    }, this.#patience_ms)
    if (!begun) throw reason
  }
}

function controlStatements(connection: Connection) {
  return {
    begin: connection.prepare('BEGIN IMMEDIATE'),
    commit: connection.prepare('COMMIT'),
    savepoint: connection.prepare('SAVEPOINT unit'),
    rollback: connection.prepare('ROLLBACK TO unit'),
    release: connection.prepare('RELEASE unit'),
  }
}
