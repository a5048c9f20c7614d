import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { columnsOf, Statements, tableNames } from '@quittance/store-sql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { blocksOf } from '../../../tests/documented/page.ts'
import {
  expectFields,
  expectMigrationAsked,
  expectRefused,
  impossible,
  pages,
} from '../../store-sql/test/schema-cases.ts'
import { claimRequest } from '../../testing/src/store/claiming.ts'
import { commit, find, here, seed } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { postgresDialect } from '../src/dialect.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { testDatabase } from './database.ts'
import { indexConditions } from './plans.ts'
import { renderSchema } from './render-schema.ts'

const database = testDatabase()

/** Beside the tables of the port. */
const own = ['commit_markers', 'delivery_leases', 'migrations']

it('a database without a schema asks for its migration', async () => {
  const { connectionString } = database()
  const store = postgresStore({ connectionString, schema: database().schema() })
  await expectMigrationAsked(store)
  await store.close()
})

describe('migrating', () => {
  const owned = async () => {
    const [schema, role] = [database().schema(), `${database().schema()}_owner`]
    await database().pool.query(
      `CREATE ROLE "${role}" LOGIN PASSWORD 'its own'; CREATE SCHEMA "${schema}" AUTHORIZATION "${role}"`,
    )
    const address = new URL(database().connectionString)
    address.username = role
    address.password = 'its own'
    const pool = new pg.Pool({ connectionString: address.href })
    onTestFinished(async () => {
      await pool.end()
      await database().drop(schema)
      await database().pool.query(`DROP ROLE "${role}"`)
    })
    return { schema, pool, store: postgresStore({ pool, schema }) }
  }

  it.each(['migrate', 'sql'] as const)('may a role that only owns the schema: %s', async (how) => {
    const { store, pool } = await owned()
    await (how === 'migrate' ? store.migrate() : pool.query(store.migrations.sql()))
    expect(await store.migrations.pending()).toEqual([])
    await store.close()
  })

  it('leaves all else to a role with the rights that the page names', async () => {
    const { schema, pool, store: owners } = await owned()
    // Roles are those of the whole server, which other runs may share.
    const role = `app_${randomUUID()}`
    await database().pool.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'its own'`)
    onTestFinished(async () => {
      await database().drop(schema)
      await database().pool.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`)
    })
    const [rights = ''] = blocksOf('docs/operating.md').flatMap(({ text }) => text.match(/^GRANT.*/ms) ?? [])
    await pool.query(rights.replaceAll('quittance', `"${schema}"`).replaceAll('app;', `"${role}";`))
    await owners.migrate()
    const address = new URL(database().connectionString)
    address.username = role
    address.password = 'its own'
    const store = postgresStore({ connectionString: address.href, schema })
    onTestFinished(() => store.close())
    await store.migrate()
    await seed(store, here, [['customers', sampleRow('customers', here, 'of the role')]])
    expect(await find(store, here, 'customers', 'of the role')).toBeDefined()
    expect(await store.claimDeliveries(claimRequest)).toEqual([])
    await owners.close()
  })

  // Each character that such a database lacks was a fault, also in what a processor answers to a charge.
  it.each(['migrate', 'sql'] as const)('refuses a database that lacks characters: %s', async (how) => {
    const name = `latin1_${how}`
    await database().pool.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
    const pool = new pg.Pool({ connectionString: new URL(name, database().connectionString).href })
    onTestFinished(async () => {
      await pool.end()
      // Waits for the connections of that pool, which only has told them to end; FORCE would be a fault of theirs.
      await database().pool.query(`DROP DATABASE ${name}`)
    })
    const store = postgresStore({ pool })
    const migrated = how === 'migrate' ? store.migrate() : pool.query(store.migrations.sql())
    await expect(migrated).rejects.toThrow(
      'The database is in LATIN1, which lacks characters: it has to be in UTF8.',
    )
    await store.close()
  })

  it('waits for another process, whatever the limits of the role', async () => {
    const { schema, pool, store } = await owned()
    pool.options.options = '-c statement_timeout=500 -c lock_timeout=500'
    const letGo = await database().holdMigrations(schema)
    const unlock = async () => {
      await expect.poll(() => database().waitingFor(700)).toBe(1)
      await letGo()
    }
    await Promise.all([store.migrate(), unlock()])
    expect(await store.migrations.pending()).toEqual([])
    await store.close()
  })
})

describe('the schema', () => {
  let schema: string
  beforeAll(async () => {
    schema = database().schema()
    const store = postgresStore({ pool: database().pool, schema })
    await database().pool.query(store.migrations.sql())
    await store.close()
  })
  afterAll(() => database().drop(schema))

  it('has the tables of the port, and the store’s own three', async () => {
    const found = await database().pool.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [
      schema,
    ])
    expect(found.rows.map((row) => row.tablename).sort()).toEqual([...tableNames, ...own].sort())
  })

  // Until its first ANALYZE: ten deliveries of 5,000 were claimed in 11 ms, and in 2 along the key.
  it.each(tableNames)(
    'finds an id in %s by the primary key, also while there are no statistics',
    async (name) => {
      const by_id = `SELECT * FROM "${schema}"."${name}" WHERE "workspace" = $1 AND "livemode" = $2 AND "id" = $3`
      expect((await indexConditions(database().pool, by_id)).indexes).toEqual([`${name}_pkey`])
    },
  )

  it('is as the committed dump shows it', async () => {
    const dump = new URL('../schema.txt', import.meta.url)
    const rendered = await renderSchema(database().pool, schema)
    if (process.env.WRITE_SCHEMA === '1') writeFileSync(dump, rendered)
    // WRITE_SCHEMA=1 writes it anew.
    expect(rendered).toBe(readFileSync(dump, 'utf8'))
  })

  it.each(tableNames)('has the fields of the record as the columns of %s', async (name) => {
    const found = await database().pool.query(
      `SELECT column_name, is_nullable, data_type, collation_name FROM information_schema.columns
      WHERE table_schema = $1 AND table_name = $2`,
      [schema, name],
    )
    const columns = found.rows.map((row) => ({ name: row.column_name, nullable: row.is_nullable === 'YES' }))
    expectFields(name, columns)
    for (const { column_name, data_type, collation_name } of found.rows) {
      const kind = columnsOf(name).find((column) => column.name === column_name)?.kind
      if (kind === 'plain') expect(['C', null]).toContain(collation_name)
      if (data_type === 'text') expect(collation_name).toBe('C')
      expect(data_type === 'json').toBe(kind === 'json')
      expect(data_type === 'boolean').toBe(kind === 'boolean')
    }
  })

  it.each(pages)(
    'reads a page of $name where $where from an index that begins with the scope, without sorting',
    async ({ name, where, bound }) => {
      const statement = new Statements(postgresDialect(schema)).page(name, { where, after: '' })
      const conditions = await indexConditions(database().pool, statement.sql)
      expect(conditions.sorts).toBe(0)
      expect(conditions.columns).toEqual([['workspace', 'livemode', ...bound, 'id'].sort()])
    },
  )

  it('reads what is due from the partial indexes', async () => {
    const statements = new Statements(postgresDialect(schema))
    for (const { sql } of [statements.due, statements.nextDue, statements.nextDueAfter]) {
      const { indexes, sequential } = await indexConditions(database().pool, sql)
      expect(sequential).toEqual([])
      expect(indexes.length).toBeGreaterThan(5)
      for (const index of indexes) expect(index).toMatch(/_(due|next)$/)
    }
  })

  it.each(impossible)('refuses a row of $name with $columns', async (row) => {
    const store = postgresStore({ pool: database().pool, schema })
    await expectRefused(store, row)
    await store.close()
  })

  it('is complete when a team has run its SQL by hand, which leaves the search path as it was', async () => {
    const store = postgresStore({ pool: database().pool, schema })
    expect(await store.migrations.pending()).toEqual([])
    await store.migrate()
    await store.close()
    const { rows } = await database().pool.query('SHOW search_path')
    expect(rows[0].search_path).toBe('"$user", public')
  })

  it('may have any name', async () => {
    const odd = 'Odd "name" of a $1 schema'
    const store = postgresStore({ pool: database().pool, schema: odd })
    await store.migrate()
    await commit(store, here, async (tx) => tx.customers.insert(sampleRow('customers', here, 'ours')))
    expect(await find(store, here, 'customers', 'ours')).toBeDefined()
    await store.close()
    await database().pool.query(`DROP SCHEMA "Odd ""name"" of a $1 schema" CASCADE`)
  })
})
