import { columnsOf, Statements, tableNames } from '@quittance/store-sql'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { commit, find, here, rowsOf, seed } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { postgresDialect } from '../src/dialect.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { type Asked, merged } from '../src/units/merge-commands.ts'
import { testDatabase } from './database.ts'
import { indexConditions } from './plans.ts'

const database = testDatabase()
const statements = new Statements(postgresDialect('quittance'))
const { lock, get } = statements.table('deliveries')
const name = columnsOf('customers').filter((column) => column.name === 'name')
const rename = statements.update('customers', name, { alone: false })

const of = (statement: Asked['statement'], ...values: unknown[]): Asked => ({ statement, values })
const shown = (commands: readonly Asked[]) => commands.map(({ statement, values }) => [statement, values])

describe('commands that follow each other', () => {
  it('are one if they lock rows', () => {
    const locks = ['b', 'a "\\', 'c'].map((id) => of(lock, 'w', false, id))
    const arrays = ['{"w","w","w"}', '{"false","false","false"}', '{"b","a \\"\\\\","c"}']
    expect(shown(merged(locks))).toEqual([[lock.many, arrays]])
  })

  it('are one if they write the same columns, also in several scopes', () => {
    const writes = [of(rename, 'NULL', 'w', true, 'a'), of(rename, null, 'w', false, 'a')]
    const arrays = ['{"NULL",NULL}', '{"w","w"}', '{"true","false"}', '{"a","a"}']
    expect(shown(merged(writes))).toEqual([[rename.many, arrays]])
  })

  it('stay as they are where the statement is another or the row is not, and in their order', () => {
    const commands = [
      of(lock, 'w', true, 'a'),
      of(rename, 'Ann', 'w', true, 'a'),
      of(lock, 'w', true, 'b'),
      of(lock, 'w', true, 'b'),
      of(get, 'w', true, 'c'),
      of(get, 'w', true, 'd'),
    ]
    expect(shown(merged(commands))).toEqual(shown(commands))
  })

  it('begin anew with a row that is already there', () => {
    const locks = ['a', 'b', 'a', 'c'].map((id) => of(lock, 'w', true, id))
    expect(shown(merged(locks)).map(([, values]) => values)).toEqual([
      ['{"w","w"}', '{"true","true"}', '{"a","b"}'],
      ['{"w","w"}', '{"true","true"}', '{"a","c"}'],
    ])
  })

  it('get each its own row, or the fault of all', () => {
    const row = (id: string) => ({ workspace: 'w', livemode: false, id })
    const told: unknown[] = []
    const asking = (id: string): Asked => ({
      ...of(lock, 'w', false, id),
      answered: ({ rows }) => told.push([id, rows]),
      failed: (fault) => told.push([id, fault]),
    })
    const [all] = merged([asking('b'), asking('none'), asking('a')])
    all?.answered?.({ rows: [row('a'), row('b')], tag: 'SELECT 2' })
    expect(told.splice(0)).toEqual([
      ['b', [row('b')]],
      ['none', []],
      ['a', [row('a')]],
    ])
    all?.failed?.('lost')
    expect(told).toEqual([
      ['b', 'lost'],
      ['none', 'lost'],
      ['a', 'lost'],
    ])
  })

  // What is written is compared with what was: the answer to a lock comes after a change that was asked for meanwhile.
  it('are changed back also where a lock of theirs was still under way at the first change', async () => {
    const schema = database().schema()
    const store = postgresStore({ connectionString: database().connectionString, notify: false, schema })
    await store.migrate()
    const row = sampleRow('customers', here, 'row')
    await seed(store, here, [['customers', row]])
    await commit(store, here, async ({ customers }) => {
      await Promise.all([customers.lock('row'), customers.update({ ...row, name: 'another' })])
      await customers.update(row)
    })
    expect(await find(store, here, 'customers', 'row')).toEqual(row)
    await store.close()
    await database().drop(schema)
  })

  // Else two units that lock the same rows in two orders could wait for each other, until Postgres undoes one.
  it('lock their rows in one order, whatever the order in which they were asked for', async () => {
    const { connectionString, pool, schema, drop } = database()
    const name = schema()
    const store = postgresStore({ connectionString, notify: false, schema: name })
    await store.migrate()
    const rows = ['a', 'b', 'c'].map((id) => sampleRow('customers', here, id))
    await seed(store, here, rowsOf('customers', rows))
    const holder = await pool.connect()
    await holder.query('BEGIN')
    await holder.query(`SELECT FROM "${name}"."customers" WHERE "id" = 'a' FOR UPDATE`)
    const locking = commit(store, here, async ({ customers }) => {
      await Promise.all(['c', 'b', 'a'].map((id) => customers.lock(id)))
    })
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1)
    const free = `SELECT "id" FROM "${name}"."customers" ORDER BY "id" FOR UPDATE SKIP LOCKED`
    const { rows: still_free } = await pool.query(free)
    await holder.query('ROLLBACK')
    holder.release()
    await locking
    expect(still_free).toEqual([{ id: 'b' }, { id: 'c' }])
    await store.close()
    await drop(name)
  })

  it('are sent as one, but for a row that takes a unique value or is not known', async () => {
    const schema = database().schema()
    const pool = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const store = postgresStore({ pool, notify: false, schema })
    await store.migrate()
    const ids = ['a', 'b', 'c']
    const rows = ids.map((id) =>
      sampleRow('deliveries', here, id, { pending_of: id === 'a' ? 'its own' : null }),
    )
    const [giver, taker] = rows
    if (giver === undefined || taker === undefined) throw new Error('three were made')
    await seed(store, here, rowsOf('deliveries', rows))
    await commit(store, here, async ({ deliveries }) => {
      await Promise.all(ids.map((id) => deliveries.lock(id)))
      for (const row of rows) await deliveries.update({ ...row, last_error: `of ${row.id}` })
      await deliveries.update({ ...giver, last_error: 'of a', pending_of: null })
      await deliveries.update({ ...taker, last_error: 'of b', pending_of: 'its own' })
    })
    await commit(store, here, async ({ deliveries }) => {
      for (const row of rows)
        await deliveries.update({ ...row, last_error: `later of ${row.id}`, pending_of: null })
    })
    const prepared = await pool.query(`SELECT "statement" FROM pg_prepared_statements`)
    const texts = prepared.rows.map(({ statement }) => statement)
    const own = new Statements(postgresDialect(schema))
    const { lock: locking, changeable } = own.table('deliveries')
    const updateOf = (...names: string[]) => {
      const columns = changeable.filter((column) => names.includes(column.name))
      return own.update('deliveries', columns, { alone: false })
    }
    for (const { sql, many } of [locking, updateOf('last_error')])
      expect([texts.includes(sql), texts.includes(many?.sql)]).toEqual([false, true])
    for (const { sql, many } of [
      updateOf('pending_of'),
      updateOf(...changeable.map((column) => column.name)),
    ])
      expect([texts.includes(sql), texts.includes(many?.sql)]).toEqual([true, false])
    for (const id of ids)
      expect(await find(store, here, 'deliveries', id)).toMatchObject({ last_error: `later of ${id}` })
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
  const own = new Statements(postgresDialect(schema))
  const { lock: locking, changeable } = own.table(table)
  const updating = own.update(table, changeable, { alone: false })
  for (const { many } of changeable.length > 0 ? [locking, updating] : [locking]) {
    for (const settings of ['SET LOCAL enable_seqscan = off', 'SET LOCAL enable_sort = off']) {
      const { indexes, columns, sequential } = await indexConditions(
        database().pool,
        many?.sql ?? '',
        settings,
      )
      expect({ indexes, columns, sequential }).toEqual({
        indexes: [`${table}_pkey`],
        columns: [['id', 'livemode', 'workspace']],
        sequential: [],
      })
    }
  }
  await store.close()
  await database().drop(schema)
})
