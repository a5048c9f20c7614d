import type { LeaseRequest, Page, Reads, ScopeLock, TableName, Transaction } from '@quittance/core'
import { type Column, tableNames } from './columns.ts'
import { refuseStale, type Statement } from './dialect.ts'
import type { SqlRow, StoredRow } from './row-codec.ts'
import type { Sharing, SqlReader, SqlSession, SqlUnit } from './sql-driver.ts'
import { isWrittenOut, type TableStatements } from './statements.ts'

/** The tables of one scope, for reading. */
export function sqlReads(session: SqlSession<SqlReader>): Reads {
  return new ReadSession(session) as unknown as Reads
}

/** Runs `work` on the tables of one scope, which are usable until it ends. */
export async function sqlUnit<Value>(
  session: SqlUnit,
  work: (tx: Transaction) => PromiseLike<Value>,
): Promise<Value> {
  const tx = new WriteSession(session)
  try {
    return await work(tx as unknown as Transaction)
  } finally {
    tx.open = false
  }
}

class ReadSession {
  readonly session: SqlSession<SqlReader>

  constructor(session: SqlSession<SqlReader>) {
    this.session = session
  }
}

class WriteSession {
  readonly session: SqlUnit
  /** By `nameOf`: rows as this unit last locked or wrote them. Only a listener can have changed them since. */
  readonly known = new Map<string, Readonly<StoredRow>>()
  open = true

  constructor(session: SqlUnit) {
    this.session = session
  }

  /** Forgets the rows, because whoever is handed this may join it and change them. */
  get native(): unknown {
    this.assertOpen()
    this.known.clear()
    return this.session.native()
  }

  /** Every statement of a unit of work passes here: one after its end would run in another transaction. */
  assertOpen(): void {
    if (!this.open) throw new Error('this transaction has ended')
  }

  async lockScope(mode: ScopeLock): Promise<void> {
    this.assertOpen()
    const { statements, driver, scope } = this.session
    if (mode === 'exclusive') driver.sharing?.leave()
    const lock = statements.scopeLocks?.[mode]
    if (lock) refuseStale(await driver.all(lock, [scope.workspace, scope.livemode]))
  }

  async leaseDeliveries({ ids, real_at, lease_until, per_workspace }: LeaseRequest): Promise<boolean> {
    this.assertOpen()
    const { statements, driver, scope } = this.session
    if (driver.sharing) return false
    const { lock, list, count, lease } = statements.leases
    const [workspace, livemode] = [scope.workspace, statements.encodeBoolean(scope.livemode)]
    // Counted by a statement after the lock: it sees what whoever had the lock before has leased.
    const [[own], [leases]] = await Promise.all([
      lock === null ? [{ locked: true }] : driver.all(lock, [workspace]),
      driver.all(count, [workspace, real_at]),
    ])
    if (own?.locked !== true || Number(leases?.live) + ids.length > per_workspace) return false
    if (list !== null) await driver.write(list.clear, [workspace])
    for (const id of ids) {
      this.known.delete(nameOf('deliveries', id))
      await driver.write(lease, [lease_until, workspace, livemode, id])
      if (list !== null) await driver.write(list.add, [workspace, livemode, id])
    }
    return true
  }
}

// Getters on the prototypes: a unit of work touches few tables, and creates objects for those only.
for (const name of tableNames) {
  Object.defineProperty(ReadSession.prototype, name, {
    get(this: ReadSession) {
      return new SqlReadTable(name, this.session)
    },
  })
  Object.defineProperty(WriteSession.prototype, name, {
    get(this: WriteSession) {
      return new SqlWriteTable(name, this)
    },
  })
}

class SqlReadTable {
  readonly name: TableName
  readonly session: SqlSession<SqlReader>
  readonly statements: TableStatements

  constructor(name: TableName, session: SqlSession<SqlReader>) {
    this.name = name
    this.session = session
    this.statements = session.statements.table(name)
  }

  get(id: string): Promise<StoredRow | undefined> {
    return this.one(this.statements.get, id)
  }

  async page({ where, after, limit }: Page<SqlRow>): Promise<StoredRow[]> {
    const { codec } = this.statements
    const parameters = this.scoped()
    for (const column in where) {
      const value = where[column]
      if (value !== null && !isWrittenOut(this.name, column))
        parameters.push(codec.encodeValue(codec.column(column), value))
    }
    if (after !== undefined) parameters.push(after)
    parameters.push(limit)
    const page = this.session.statements.page(this.name, where, after !== undefined)
    const rows = await this.session.driver.all(page, parameters)
    return rows.map((row) => codec.decode(row))
  }

  protected async one(statement: Statement, id: string): Promise<StoredRow | undefined> {
    const [row] = await this.session.driver.all(statement, this.scoped(id))
    return row && this.statements.codec.decode(row)
  }

  protected scoped(...more: unknown[]): unknown[] {
    const { scope, statements } = this.session
    return [scope.workspace, statements.encodeBoolean(scope.livemode), ...more]
  }
}

class SqlWriteTable extends SqlReadTable {
  readonly #unit: WriteSession

  constructor(name: TableName, unit: WriteSession) {
    super(name, unit.session)
    this.#unit = unit
  }

  override async get(id: string): Promise<StoredRow | undefined> {
    this.#sharing?.reads(this.name)
    return super.get(id)
  }

  override async page(request: Page<SqlRow>): Promise<StoredRow[]> {
    this.#sharing?.reads(this.name)
    return super.page(request)
  }

  async lock(id: string): Promise<StoredRow | undefined> {
    this.#sharing?.locks(this.name, id)
    const before = this.#unit.known.get(nameOf(this.name, id))
    const row = await this.one(this.statements.lock, id)
    // What was written after this call is newer.
    if (row !== undefined && this.#unit.known.get(nameOf(this.name, id)) === before) this.#remember(row)
    return row
  }

  async insert(row: StoredRow): Promise<void> {
    this.#assertOwn(row)
    const own = this.#remember(row)
    await this.#unit.session.driver.write(this.statements.insert, this.statements.codec.encode(own))
    if (this.name === 'deliveries') await this.#listLease(own)
  }

  async insertNew(row: StoredRow): Promise<boolean> {
    this.#assertOwn(row)
    const own = { ...row }
    const { insertNew, codec } = this.statements
    const written = await this.#unit.session.driver.run(insertNew, codec.encode(own))
    // Taken, perhaps by a row of another unit in this transaction, which may still be undone.
    if (written === 0) this.#sharing?.leave()
    else if (this.name === 'deliveries') await this.#listLease(own)
    return written > 0
  }

  /**
   * Writes what differs from the known row, because each further column may be a further index to write. A known row
   * exists, so nobody waits for the answer; for any other, the answer tells whether it does. A row that takes a unique
   * value is written alone: another one may have to lose it first.
   */
  async update(row: StoredRow): Promise<void> {
    this.#assertOwn(row)
    const { codec, changeable } = this.statements
    const known = this.#unit.known.get(nameOf(this.name, row.id))
    const isChanged = ({ name, kind }: Column) => kind === 'json' || row[name] !== known?.[name]
    const columns = known === undefined ? changeable : changeable.filter(isChanged)
    if (columns.length === 0) return
    const { driver, statements } = this.#unit.session
    const alone = known === undefined || columns.some(({ name, unique }) => unique && row[name] !== null)
    const update = statements.update(this.name, columns, { alone })
    const own = this.#remember(row)
    const parameters = [...codec.encode(own, columns), ...this.scoped(row.id)]
    if (known !== undefined) await driver.write(update, parameters)
    else if ((await driver.run(update, parameters)) === 0)
      throw new Error(`${this.name} has no row ${own.id} to update`)
    if (this.name === 'deliveries') await this.#listLease(own)
  }

  async delete(id: string): Promise<void> {
    this.#sharing?.writes(this.name, id)
    this.#unit.known.delete(nameOf(this.name, id))
    await this.#unit.session.driver.write(this.statements.delete, this.scoped(id))
  }

  async #listLease({ id, lease_until }: StoredRow): Promise<void> {
    const { statements, driver } = this.#unit.session
    const { list } = statements.leases
    if (list !== null && lease_until !== null) await driver.write(list.add, this.scoped(id))
  }

  /** At the call, as the row may be written again before the answer. Keeps a copy: the caller may change its row. */
  #remember(row: StoredRow): StoredRow {
    const own = { ...row }
    this.#unit.known.set(nameOf(this.name, row.id), own)
    return own
  }

  protected override scoped(...more: unknown[]): unknown[] {
    this.#unit.assertOpen()
    return super.scoped(...more)
  }

  /** Checks first that the unit is open: an ended one must not report anything. */
  get #sharing(): Sharing | undefined {
    this.#unit.assertOpen()
    return this.#unit.session.driver.sharing
  }

  /** Before a row is written. */
  #assertOwn(row: StoredRow): void {
    this.#sharing?.writes(this.name, row.id)
    const { workspace, livemode } = this.session.scope
    if (row.workspace !== workspace || row.livemode !== livemode)
      throw new Error(`a row of ${this.name} belongs to another workspace or environment`)
  }
}

function nameOf(table: TableName, id: string): string {
  return `${table} ${id}`
}
