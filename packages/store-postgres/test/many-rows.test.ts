import { columnsOf, Statements, tableNames } from '@quittance/store-sql'
import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { postgresDialect } from '../src/dialect.ts'
import { type Asked, merged } from '../src/many-rows.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { testDatabase } from './database.ts'
import { indexConditions } from './plans.ts'

const statements = new Statements(postgresDialect('quittance'))
const { lock, get } = statements.table('deliveries')
const name = columnsOf('customers').filter((column) => column.name === 'name')
const rename = statements.update('customers', name, { name: 'Ann' })

const of = (statement: Asked['statement'], ...values: unknown[]): Asked => ({ statement, values })
const shown = (commands: readonly Asked[]) =>
  merged(commands).map(({ statement, values }) => [statement, values])

describe('commands that follow each other', () => {
  it('are one if they lock rows of one scope', () => {
    const locks = ['b', 'a', 'c'].map((id) => of(lock, 'w', false, id))
    expect(shown(locks)).toEqual([[lock.many, ['w', false, '{"b","a","c"}']]])
  })

  it('are one if they write the same columns of several rows', () => {
    const writes = [of(rename, 'say "\\"', 'w', true, 'a'), of(rename, null, 'w', true, 'b')]
    expect(shown(writes)).toEqual([[rename.many, ['{"say \\"\\\\\\"",NULL}', 'w', true, '{"a","b"}']]])
  })

  it('stay as they are where scope, row or statement are not alike, and in their order', () => {
    const commands = [
      of(lock, 'w', false, 'a'),
      of(lock, 'w', true, 'b'),
      of(lock, 'other', true, 'c'),
      of(lock, 'other', true, 'd'),
      of(lock, 'other', true, 'c'),
      of(rename, 'Ann', 'other', true, 'c'),
      of(get, 'other', true, 'c'),
      of(get, 'other', true, 'd'),
    ]
    const both = [lock.many, ['other', true, '{"c","d"}']]
    const [first, second, , , fifth, ...rest] = commands.map(({ statement, values }) => [statement, values])
    expect(shown(commands)).toEqual([first, second, both, fifth, ...rest])
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

  it('are never one where a row is not known, or is given a unique value', () => {
    const reference = columnsOf('customers').filter((column) => column.name === 'reference')
    expect(statements.update('customers', reference, { reference: 'its' }).many).toBeUndefined()
    expect(statements.update('customers', reference, null).many).toBeUndefined()
    expect(statements.update('customers', reference, { reference: null }).many).toBeDefined()
  })
})

describe('several rows', () => {
  const database = testDatabase()

  it.each(tableNames)('of %s are found by the primary key', async (table) => {
    const schema = database().schema()
    const store = postgresStore({ pool: database().pool }, schema)
    await store.migrate()
    const here = new Statements(postgresDialect(schema))
    const { changeable } = here.table(table)
    const columns = changeable.filter(({ unique }) => !unique)
    const row = sampleRow(table, { workspace: 'w', livemode: false }, 'row')
    const update = columns.length > 0 ? [here.update(table, columns, row)] : []
    for (const { many } of [here.table(table).lock, ...update]) {
      const { indexes } = await indexConditions(database().pool, many?.sql ?? '')
      expect(indexes).toEqual([`${table}_pkey`])
    }
    await store.close()
    await database().drop(schema)
  })
})
