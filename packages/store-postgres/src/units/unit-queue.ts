import type { Unit } from './unit.ts'

/** While this many transactions are running, units of work wait, and share the next one. */
const most_transactions = 4

/** Up to this many units that begin in one turn of the event loop get a transaction each, if enough are free. */
const few_units = 3

/** The most units that share a transaction. */
const most_units = 16

/** A transaction that takes longer keeps nobody waiting. */
export const slow_ms = 100

/** The two ways in which units run. */
interface Ways {
  alone(unit: Unit): Promise<void>
  /** Resolves to whether each came to an outcome there. If not, it has to run alone. */
  together(units: readonly Unit[]): Promise<boolean[]>
}

interface Waiting {
  readonly unit: Unit
  resolve(isDone: boolean): void
  reject(fault: unknown): void
}

/**
 * Decides which units of work share a transaction: each gets one of its own while few begin at once, or are running. The
 * others share one: most of what a unit costs is its round trips, and units side by side take the same ones.
 */
export class UnitQueue {
  readonly #ways: Ways
  readonly #waiting: Waiting[] = []
  #running = 0
  /** No units share a transaction before `performance.now()` is this. */
  #apart_until_ms = 0

  constructor(ways: Ways) {
    this.#ways = ways
  }

  async run(unit: Unit): Promise<void> {
    if (this.#isApart()) return this.#ways.alone(unit)
    const isDone = await new Promise<boolean>((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject })
      if (this.#waiting.length === 1) process.nextTick(() => this.#next(few_units))
    })
    if (!isDone) await this.#counted(this.#ways.alone(unit))
  }

  keepApart(for_ms: number): void {
    this.#apart_until_ms = Math.max(this.#apart_until_ms, performance.now() + for_ms)
  }

  neverShareAgain(): void {
    this.keepApart(Number.POSITIVE_INFINITY)
  }

  #isApart(): boolean {
    return performance.now() < this.#apart_until_ms
  }

  /** Begins what waits, as far as there are transactions for it. */
  #next(few = 1): void {
    for (;;) {
      const free = most_transactions - this.#running
      if (this.#isApart() || this.#waiting.length <= Math.min(few, free)) {
        for (const { resolve } of this.#waiting.splice(0)) resolve(false)
        return
      }
      if (free <= 0) return
      void this.#counted(this.#together(this.#waiting.splice(0, most_units)))
    }
  }

  async #together(waiting: readonly Waiting[]): Promise<void> {
    try {
      const done = await this.#ways.together(waiting.map(({ unit }) => unit))
      for (const [index, { resolve }] of waiting.entries()) resolve(done[index] === true)
    } catch (fault) {
      for (const { reject } of waiting) reject(fault)
    }
  }

  /** Counts the transaction as running until it ends, but no longer than `slow_ms`. */
  async #counted(running: Promise<void>): Promise<void> {
    let counts = true
    const end = () => {
      if (!counts) return
      counts = false
      this.#running -= 1
      this.#next()
    }
    this.#running += 1
    const timer = setTimeout(end, slow_ms)
    try {
      await running
    } finally {
      clearTimeout(timer)
      end()
    }
  }
}
