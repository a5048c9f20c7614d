import type { Page, StoredRow, TableName } from '@quittance/core'
import type { Column } from './columns.ts'
import type { Statement } from './dialect.ts'
import type { SqlRow } from './row-codec.ts'
import type { Sharing, SqlReader, SqlSession, SqlUnit } from './sql-driver.ts'
import { isWrittenOut, type TableStatements } from './statements.ts'

export class SqlReadTable {
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
    const page = this.session.statements.page(this.name, { where, after })
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

/** What the tables of a unit of work share. */
export interface OpenUnit {
  readonly session: SqlUnit
  /** By `nameOf`: rows as this unit last locked or wrote them. Only a listener can have changed them since. */
  readonly known: Map<string, Readonly<StoredRow>>
  /** Every statement of a unit of work passes here: a statement after its end would run in another transaction. */
  assertOpen(): void
}

export class SqlWriteTable extends SqlReadTable {
  readonly #unit: OpenUnit

  constructor(name: TableName, unit: OpenUnit) {
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
   * Writes what differs from the known row, because each further column may be a further index to write. A known row exists, so
   * nobody waits for the answer; for any other row, the answer tells whether it exists. A row that takes a unique value is
   * written alone: another row may have to lose that value first.
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

  /** To call before a row is written. */
  #assertOwn(row: StoredRow): void {
    this.#sharing?.writes(this.name, row.id)
    const { workspace, livemode } = this.session.scope
    if (row.workspace !== workspace || row.livemode !== livemode)
      throw new Error(`a row of ${this.name} belongs to another workspace or environment`)
  }
}

/** The name by which a unit knows a row. */
export function nameOf(table: TableName, id: string): string {
  return `${table} ${id}`
}
