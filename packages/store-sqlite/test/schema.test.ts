import { Statements, tableNames } from '@quittance/store-sql'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  expectFields,
  expectMigrationAsked,
  expectRefused,
  impossible,
  pages,
} from '../../store-sql/test/schema-cases.ts'
import { commit, here } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { sqliteDialect } from '../src/dialect.ts'
import { planned } from '../src/sqlite-driver.ts'
import { sqliteStore } from '../src/sqlite-store.ts'

it('a database without a schema asks for its migration', async () => {
  const store = sqliteStore({ filename: ':memory:' })
  await expectMigrationAsked(store)
  await store.close()
})

describe('the schema', () => {
  let database: Database.Database
  beforeEach(() => {
    database = new Database(':memory:')
    database.exec(sqliteStore({ database }).migrations.sql())
  })
  afterEach(() => {
    database.close()
  })

  it('has the tables of the port and no others', () => {
    const names = database.prepare(`SELECT "name" FROM "sqlite_master" WHERE "type" = 'table'`).pluck().all()
    expect(names.sort()).toEqual([...tableNames, 'migrations'].map((name) => `quittance_${name}`).sort())
  })

  it.each(tableNames)('has the fields of the record as the columns of %s', (name) => {
    const info = database.pragma(`table_info(quittance_${name})`) as { name: string; notnull: number }[]
    const columns = info.map((column) => ({ name: column.name, nullable: column.notnull === 0 }))
    expectFields(name, columns)
  })

  it.each(pages)(
    'reads a page of $name where $where from an index that begins with the scope',
    ({ name, where, bound }) => {
      const statement = new Statements(sqliteDialect).page(name, { where, after: '' })
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${planned(statement.sql)}`)
      const steps = stepsOf(plan.all('w', 0, ...bound, 'after', 20))
      const equal = ['workspace', 'livemode', ...bound].map((column) => `${column}=? AND `).join('')
      expect(steps.map(({ detail }) => detail.replace(/^.*\(/, '('))).toEqual([`(${equal}id<?)`])
    },
  )

  it('reads what is due from the partial indexes', () => {
    const statement = new Statements(sqliteDialect)
    for (const { sql } of [statement.due, statement.nextDue, statement.nextDueAfter]) {
      const parameters = Array.from(sql.matchAll(/\?/g), () => 'x')
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${planned(sql)}`).all(...parameters) as {
        detail: string
      }[]
      const reads = steps
        .map(({ detail }) => detail)
        .filter((detail) => /^(SCAN|SEARCH) "?[a-z]\w*_?/.test(detail))
      const tablesRead = reads.filter((detail) =>
        tableNames.some((name) => detail.split(' ')[1] === `quittance_${name}`),
      )
      expect(tablesRead.length).toBeGreaterThan(0)
      for (const detail of tablesRead) expect(detail).toMatch(/_(due|next)\b/)
    }
  })

  it('counts the live leases of a workspace along their own index', () => {
    const { count } = new Statements(sqliteDialect).leases
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${planned(count.sql)}`)
    const [step, ...others] = stepsOf(plan.all('w', '2026-01-31T12:00:00.000Z'))
    expect(others).toEqual([])
    expect(step?.detail).toMatch(/quittance_deliveries_leased \(workspace=\?\)$/)
  })

  it.each(impossible)('refuses a row of $name with $columns', async (row) => {
    const store = sqliteStore({ database })
    await expectRefused(store, row)
    await store.close()
  })

  it('stands beside tables of the host that have the same names', async () => {
    const shared = new Database(':memory:')
    shared.exec('CREATE TABLE customers (mine); CREATE INDEX payments_due ON customers (mine)')
    const store = sqliteStore({ database: shared })
    await store.migrate()
    await commit(store, here, async (tx) => tx.customers.insert(sampleRow('customers', here, 'ours')))
    expect(shared.prepare('SELECT * FROM customers').all()).toEqual([])
    await store.close()
    shared.close()
  })

  it('is complete when a team has run its SQL by hand', async () => {
    const store = sqliteStore({ database })
    expect(await store.migrations.pending()).toEqual([])
    await store.migrate()
    await store.close()
  })
})

/** The steps that read tables, without those that hand over the parameters. */
function stepsOf(plan: unknown[]): { detail: string }[] {
  const steps = plan as { detail: string }[]
  return steps.filter(({ detail }) => !/^(SCALAR SUBQUERY \d+|SCAN CONSTANT ROW)$/.test(detail))
}
