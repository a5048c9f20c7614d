import type { Page, TableName } from '@quittance/core'
import { sql } from 'kysely'
import { type Column, columnsOf, tableNames, timedTables } from './columns.ts'
import { compiled, type Dialect, type Locks, type Statement, toRow } from './dialect.ts'
import { type LeaseStatements, leaseStatements } from './lease-statements.ts'
import { encodeBoolean, RowCodec, type SqlRow } from './row-codec.ts'

export interface TableStatements<Name extends TableName = TableName> {
  readonly codec: RowCodec<Name>
  /** Parameters: workspace, livemode, id. */
  readonly get: Statement
  readonly lock: Statement
  readonly delete: Statement
  /** Parameters: every column in the codec's order. */
  readonly insert: Statement
  readonly insertNew: Statement
  /** The columns that an update can write. */
  readonly changeable: readonly Column[]
}

/** The parts of a page that determine its statement. */
type PageShape = Pick<Page<SqlRow>, 'where' | 'after'>

/** Every statement of the store, built once: pages per shape of `where`, updates per set of columns. */
export class Statements {
  readonly #dialect: Dialect
  readonly #tables: ReadonlyMap<string, TableStatements>
  readonly #pages = new Map<string, Statement>()
  readonly #updates = new Map<string, Statement>()
  /** Parameters: at, the `due_at`, livemode, workspace and id to be behind, and limit for each timed table, then limit. */
  readonly due: Statement
  /** No parameters. One row: the earliest `due_at` of each timed table, and `delivery`. */
  readonly nextDue: Statement
  /** The same for what is later than a time. Parameters: that time for each column of the row. */
  readonly nextDueAfter: Statement
  /** Parameter: hash. The columns of the key and of its workspace, named `<table>.<column>`. */
  readonly apiKey: Statement
  /** Parameters: after, limit. */
  readonly workspaces: Statement
  readonly scopeLocks: Locks['scope'] | null
  readonly leases: LeaseStatements

  constructor(dialect: Dialect) {
    this.#dialect = dialect
    this.scopeLocks = dialect.locks?.scope ?? null
    this.leases = leaseStatements(dialect)
    this.#tables = new Map(tableNames.map((name) => [name, tableStatements(name, dialect)]))
    this.due = dueStatement(dialect)
    this.nextDue = nextDueStatement(dialect, { has_after: false })
    this.nextDueAfter = nextDueStatement(dialect, { has_after: true })
    this.apiKey = apiKeyStatement(dialect)
    this.workspaces = workspacesStatement(dialect)
  }

  table<Name extends TableName>(name: Name): TableStatements<Name> {
    const found = this.#tables.get(name)
    if (found === undefined) throw new Error(`there is no table ${name}`)
    return found as TableStatements<Name>
  }

  encodeBoolean(value: boolean): unknown {
    return encodeBoolean(value, this.#dialect.booleans)
  }

  /** Parameters: the values of `columns` in order, then workspace, livemode, id. `alone`: never merged with other rows. */
  update(name: TableName, columns: readonly Column[], { alone }: { alone: boolean }): Statement {
    const shape = `${name} ${alone} ${columns.map((column) => column.name).join(' ')}`
    const known = this.#updates.get(shape)
    if (known !== undefined) return known
    const many = alone ? undefined : this.#dialect.many?.update(name, columns)
    const statement = { ...updateStatement(name, this.#dialect, columns), many }
    this.#updates.set(shape, statement)
    return statement
  }

  /** Parameters: workspace, livemode, the values of `where` that are neither null nor literals, after, limit. */
  page(name: TableName, request: PageShape): Statement {
    const shape = pageShape(name, request)
    const known = this.#pages.get(shape)
    if (known !== undefined) return known
    const statement = this.#pageStatement(name, request)
    this.#pages.set(shape, statement)
    return statement
  }

  #pageStatement(name: TableName, { where, after }: PageShape): Statement {
    const { codec } = this.table(name)
    let query = this.#dialect.kysely
      .selectFrom(this.#dialect.table(name))
      .select(codec.columns.map((column) => column.name))
      .where('workspace', '=', '')
      .where('livemode', '=', '')
    for (const [column, value] of Object.entries(where)) {
      if (value === null) query = query.where(column, 'is', null)
      else if (isWrittenOut(name, column)) {
        query = query.where(column, '=', sql.lit(codec.encodeValue(codec.column(column), value)))
      } else query = query.where(column, '=', '')
    }
    if (after !== undefined) query = query.where('id', '<', '')
    return compiled(query.orderBy('id', 'desc').limit(0))
  }
}

/**
 * Columns in the conditions of partial indexes are compared with literals: a planner cannot see that a parameter
 * meets such a condition. They have few values, so there are few statements.
 */
export function isWrittenOut(name: TableName, column: string): boolean {
  return column === 'listed' || (name === 'deliveries' && column === 'status')
}

function pageShape(name: TableName, { where, after }: PageShape): string {
  let shape = after === undefined ? name : `${name} after`
  for (const column in where) {
    const value = where[column]
    shape += ` ${column}`
    if (value === null) shape += ' null'
    else if (isWrittenOut(name, column)) shape += `=${value}`
  }
  return shape
}

function tableStatements(name: TableName, dialect: Dialect): TableStatements {
  const { kysely, locks, many } = dialect
  const table = dialect.table(name)
  const codec = new RowCodec(name, dialect)
  const columns = codec.columns.map((column) => column.name)
  const get = toRow(kysely.selectFrom(table).select(columns))
  const insert = kysely.insertInto(table).values(parametersFor(codec.columns, dialect))
  return {
    codec,
    get: compiled(get),
    lock: { ...compiled(locks ? get.forUpdate() : get), many: many?.lock(name) },
    delete: compiled(toRow(kysely.deleteFrom(table))),
    insert: compiled(insert),
    insertNew: compiled(insert.onConflict((conflict) => conflict.doNothing())),
    changeable: codec.columns.filter((column) => !['workspace', 'livemode', 'id'].includes(column.name)),
  }
}

function updateStatement(name: TableName, dialect: Dialect, columns: readonly Column[]): Statement {
  const { kysely, table } = dialect
  return compiled(toRow(kysely.updateTable(table(name)).set(parametersFor(columns, dialect))))
}

/** A parameter for each of these columns. */
function parametersFor(columns: readonly Column[], { jsonAsText = false }: Dialect) {
  return Object.fromEntries(
    columns.map(({ name, kind }) => [name, jsonAsText && kind === 'json' ? sql`${''}::text::json` : '']),
  )
}

/** The first `limit` rows of each table contain the first `limit` rows of all. */
function dueStatement({ kysely, table }: Dialect): Statement {
  const parts = timedTables.map((name, place) => {
    const rows = kysely
      .selectFrom(table(name))
      .select([sql.lit(place).as('place'), 'livemode', 'workspace', 'id', 'due_at'])
      .where('due_at', '<=', '')
      .where((is) => is(is.refTuple('due_at', 'livemode', 'workspace', 'id'), '>', is.tuple('', '', '', '')))
      .orderBy('due_at')
      .orderBy('livemode')
      .orderBy('workspace')
      .orderBy('id')
      .limit(0)
      .as('part')
    return kysely.selectFrom(rows).selectAll()
  })
  const [first, ...rest] = parts
  if (first === undefined) throw new Error('no table has a due_at')
  const all = rest.reduce((query, part) => query.unionAll(part), first).as('every')
  const placed = kysely.selectFrom(all).selectAll().orderBy('due_at').orderBy('place')
  return compiled(placed.orderBy('livemode').orderBy('workspace').orderBy('id').limit(0))
}

function nextDueStatement({ kysely, table }: Dialect, { has_after }: { has_after: boolean }): Statement {
  const earliest = (name: TableName, column: string) => {
    const rows = kysely.selectFrom(table(name)).select(column).orderBy(column).limit(sql.lit(1))
    return has_after ? rows.where(column, '>', '') : rows.where(column, 'is not', null)
  }
  const delivery = earliest('deliveries', 'next_attempt_at').where('status', '=', sql.lit('pending'))
  return compiled(
    kysely.selectNoFrom([
      ...timedTables.map((name) => earliest(name, 'due_at').as(name)),
      delivery.as('delivery'),
    ]),
  )
}

function apiKeyStatement({ kysely, table, booleans }: Dialect): Statement {
  return compiled(
    kysely
      .selectFrom(`${table('api_keys')} as k`)
      .innerJoin(`${table('workspaces')} as w`, (join) =>
        join
          .onRef('w.workspace', '=', 'k.workspace')
          .onRef('w.id', '=', 'k.workspace')
          .on('w.livemode', '=', sandbox(booleans)),
      )
      .select(columnsOf('api_keys').map(({ name }) => `k.${name} as api_keys.${name}`))
      .select(columnsOf('workspaces').map(({ name }) => `w.${name} as workspaces.${name}`))
      .where('k.hash', '=', ''),
  )
}

/** Uses the primary key, which begins with `workspace`: a workspace's row is in its own sandbox scope. */
function workspacesStatement({ kysely, table, booleans }: Dialect): Statement {
  const rows = kysely.selectFrom(table('workspaces')).select('id').where('workspace', '>', '')
  return compiled(rows.where('livemode', '=', sandbox(booleans)).orderBy('workspace').limit(0))
}

/** A workspace spans both environments; its row is in the sandbox's scope. */
function sandbox(booleans: Dialect['booleans']) {
  return sql.lit(encodeBoolean(false, booleans))
}
