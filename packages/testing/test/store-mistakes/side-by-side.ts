import {
  type Page,
  perTable,
  type Result,
  type Scope,
  type Store,
  type TableName,
  type Transaction,
} from '@quittance/core'
import { reading, turnOfTheLoop, writing } from '../../src/store/opened.ts'
import { type AnyRow, tableNames } from '../../src/store/sample-row.ts'
import type { AnyTable, Mistake } from './planting.ts'

/** What goes wrong where units of work run at the same time. */
export type Slip =
  | 'lock waits for nobody'
  | 'lock reads before it waits'
  | 'writes wait for nobody'
  | 'locks outlast a refusal'
  | 'a scope is never locked'
  | 'a scope has one holder'
  | 'all is read as it was in the beginning'
  | 'whoever comes second is refused'
  | 'a unit is committed row by row'

/** A store whose units run at once, each on what is committed, with its writes to itself until it ends. */
export function sideBySide(slip?: Slip): Mistake {
  return (sound) => {
    const holders = new Map<string, Promise<void>>()
    return {
      async transaction(scope, work) {
        const run = () => new Unit(sound, scope, { holders, slip }).run(work)
        // Once: what is taken when a unit begins is not taken since.
        return run().catch((fault: unknown) => {
          if (fault === came_second && slip !== 'whoever comes second is refused') return run()
          throw fault
        })
      },
    }
  }
}

const came_second = new Error('another unit has taken the id')

class Unit {
  readonly #written = new Map<string, AnyRow | undefined>()
  readonly #journal: ((tx: Transaction) => PromiseLike<unknown>)[] = []
  readonly #own = new Map<string, () => void>()
  readonly #beginning = new Map<TableName, AnyRow[]>()
  /** Of a scope: what is read meanwhile is read after. */
  #waits_for: Promise<void> | undefined
  readonly #sound: Store
  readonly #scope: Scope
  readonly #holders: Map<string, Promise<void>>
  readonly #slip: Slip | undefined

  constructor(
    sound: Store,
    scope: Scope,
    { holders, slip }: { holders: Map<string, Promise<void>>; slip: Slip | undefined },
  ) {
    this.#sound = sound
    this.#scope = scope
    this.#holders = holders
    this.#slip = slip
  }

  async run<Value, Refusal>(
    work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    let was_refused = false
    try {
      if (this.#slip === 'all is read as it was in the beginning')
        for (const name of tableNames) this.#beginning.set(name, await this.#committed(name))
      const result = await work(this.#tx())
      was_refused = result.isErr()
      if (result.isOk()) await this.#commit(result)
      return result
    } finally {
      if (!was_refused || this.#slip !== 'locks outlast a refusal')
        for (const letGo of this.#own.values()) letGo()
    }
  }

  #tx(): Transaction {
    const lockScope: Transaction['lockScope'] = async (mode) => {
      const shares = mode === 'shared' && this.#slip !== 'a scope has one holder'
      if (this.#slip !== 'a scope is never locked')
        this.#waits_for = shares ? this.#share() : this.#holdScope()
      await this.#waits_for
    }
    const own = { native: undefined, lockScope, leaseDeliveries: async () => false }
    return perTable((name) => this.#table(name), own)
  }

  #table(name: TableName): AnyTable {
    const look = async (id: string) => (await this.#rows(name)).find((row) => row.id === id)
    const wait = async (id: string) => {
      if (this.#slip !== 'writes wait for nobody') await this.#hold(`${name} ${id}`)
    }
    const write = (id: string, row: AnyRow | undefined, call: (table: AnyTable) => PromiseLike<unknown>) => {
      this.#written.set(`${name} ${id}`, row)
      this.#journal.push((tx) => call(writing(tx, name)))
    }
    return {
      get: look,
      page: async (request) => pageOf(await this.#rows(name), request),
      lock: async (id) => {
        const early = await look(id)
        if (this.#slip !== 'lock waits for nobody') await this.#hold(`${name} ${id}`)
        return this.#slip === 'lock reads before it waits' ? early : look(id)
      },
      insert: async (row) => {
        await wait(row.id)
        if (await look(row.id)) throw came_second
        write(row.id, row, (table) => table.insert(row))
      },
      insertNew: async (row) => {
        await wait(row.id)
        if (await look(row.id)) return false
        write(row.id, row, (table) => table.insert(row))
        return true
      },
      update: async (row) => {
        await wait(row.id)
        write(row.id, row, (table) => table.update(row))
      },
      delete: async (id) => {
        await wait(id)
        write(id, undefined, (table) => table.delete(id))
      },
    }
  }

  /** Re-entrant, until the unit ends. */
  async #hold(what: string): Promise<void> {
    if (this.#own.has(what)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#holders.get(what)
    this.#own.set(what, resolve)
    this.#holders.set(what, promise)
    await before
  }

  async #holdScope(): Promise<void> {
    await this.#hold('the scope')
    const sharers = [...this.#holders].filter(([what]) => what.startsWith('a share'))
    await Promise.all(sharers.map(([, ends]) => ends))
  }

  async #share(): Promise<void> {
    const alone = this.#holders.get('the scope')
    await this.#hold(`a share ${this.#holders.size}`)
    await alone
  }

  async #rows(name: TableName): Promise<AnyRow[]> {
    await this.#waits_for
    const committed = this.#beginning.get(name) ?? (await this.#committed(name))
    const rows = new Map(committed.map((row) => [`${name} ${row.id}`, row]))
    for (const [key, row] of this.#written) if (key.startsWith(`${name} `)) setOrDelete(rows, key, row)
    return structuredClone([...rows.values()])
  }

  #committed(name: TableName): Promise<AnyRow[]> {
    return this.#sound.read(this.#scope, (rows) => reading(rows, name).page({ where: {}, limit: 10_000 }))
  }

  async #commit<Value, Refusal>(result: Result<Value, Refusal>): Promise<void> {
    const each = this.#slip === 'a unit is committed row by row' ? this.#journal.map((call) => [call]) : []
    for (const calls of each.length > 0 ? each : [this.#journal]) {
      await this.#sound.transaction(this.#scope, async (tx) => {
        for (const call of calls) await call(tx)
        return result
      })
      if (each.length > 1) await turnOfTheLoop()
    }
  }
}

function setOrDelete<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

function pageOf(rows: AnyRow[], { where, after, limit }: Page<AnyRow>): AnyRow[] {
  const isAsked = (row: AnyRow) => Object.entries(where).every(([column, value]) => row[column] === value)
  return rows
    .filter((row) => isAsked(row) && (after === undefined || row.id < after))
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, limit)
}
