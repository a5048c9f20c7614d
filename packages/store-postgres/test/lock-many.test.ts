import { Statements, tableNames } from '@quittance/store-sql'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { commit, here, rowsOf, seed } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { postgresDialect } from '../src/dialect.ts'
import { type Asked, merged } from '../src/lock-many.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { testDatabase } from './database.ts'
import { indexConditions } from './plans.ts'

const database = testDatabase()
const { lock, get } = new Statements(postgresDialect('quittance')).table('deliveries')

const of = (statement: Asked['statement'], ...values: unknown[]): Asked => ({ statement, values })
const shown = (commands: readonly Asked[]) => commands.map(({ statement, values }) => [statement, values])

describe('locks that follow each other', () => {
  it('are one for rows of one scope', () => {
    const locks = ['b', 'a "\\', 'c'].map((id) => of(lock, 'w', false, id))
    expect(shown(merged(locks))).toEqual([[lock.many, ['w', false, '{"b","a \\"\\\\","c"}']]])
  })

  it('stay as they are where scope, row or statement are not alike, and in their order', () => {
    const commands = [
      of(lock, 'w', false, 'a'),
      of(lock, 'w', true, 'b'),
      of(lock, 'other', true, 'c'),
      of(lock, 'other', true, 'd'),
      of(lock, 'other', true, 'c'),
      of(get, 'other', true, 'c'),
      of(get, 'other', true, 'd'),
    ]
    const both = [lock.many, ['other', true, '{"c","d"}']]
    const [first, second, , , ...rest] = shown(commands)
    expect(shown(merged(commands))).toEqual([first, second, both, ...rest])
  })

  it('get each its own row, or the fault of all', () => {
    const told: unknown[] = []
    const asking = (id: string): Asked => ({
      ...of(lock, 'w', false, id),
      answered: ({ rows }) => told.push([id, rows]),
      failed: (fault) => told.push([id, fault]),
    })
    const [all] = merged([asking('b'), asking('none'), asking('a')])
    all?.answered?.({ rows: [{ id: 'a' }, { id: 'b' }], tag: 'SELECT 2' })
    expect(told.splice(0)).toEqual([
      ['b', [{ id: 'b' }]],
      ['none', []],
      ['a', [{ id: 'a' }]],
    ])
    all?.failed?.('lost')
    expect(told).toEqual([
      ['b', 'lost'],
      ['none', 'lost'],
      ['a', 'lost'],
    ])
  })

  it('are sent as one', async () => {
    const schema = database().schema()
    const pool = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const store = postgresStore({ pool, notify: false, schema })
    await store.migrate()
    const ids = ['a', 'b', 'c']
    await seed(
      store,
      here,
      rowsOf(
        'customers',
        ids.map((id) => sampleRow('customers', here, id)),
      ),
    )
    await commit(store, here, async ({ customers }) => {
      await Promise.all(ids.map((id) => customers.lock(id)))
    })
    const prepared = await pool.query(`SELECT "statement" FROM pg_prepared_statements`)
    const texts = prepared.rows.map(({ statement }) => statement)
    const own = new Statements(postgresDialect(schema)).table('customers').lock
    expect(texts).toContain(own.many?.sql)
    expect(texts).not.toContain(own.sql)
    await store.close()
    await pool.end()
    await database().drop(schema)
  })
})

// Of a condition on the scope alone a plan would read all rows of a large workspace.
it.each(tableNames)('finds each of several rows of %s by all of the primary key', async (table) => {
  const schema = database().schema()
  const store = postgresStore({ pool: database().pool, schema })
  await store.migrate()
  const { many } = new Statements(postgresDialect(schema)).table(table).lock
  for (const settings of ['SET LOCAL enable_seqscan = off', 'SET LOCAL enable_sort = off']) {
    const { indexes, columns } = await indexConditions(database().pool, many?.sql ?? '', settings)
    expect({ indexes, columns }).toEqual({
      indexes: [`${table}_pkey`],
      columns: [['id', 'livemode', 'workspace']],
    })
  }
  await store.close()
  await database().drop(schema)
})
