import type { AnyDatabase, Dialect } from '@quittance/store-sql'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'

/** The statements for tables in this schema. */
export function postgresDialect(schema: string): Dialect {
  const kysely = new Kysely<AnyDatabase>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return {
    kysely: kysely.withSchema(schema),
    booleans: 'native',
    locks: true,
    pipelined: true,
    table: (name) => name,
  }
}

/** A name as it stands in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
