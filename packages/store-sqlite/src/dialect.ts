import type { AnyDatabase, Dialect } from '@quittance/store-sql'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'

/** Writers wait for each other from BEGIN IMMEDIATE on, so rows need no locks. */
export const sqliteDialect: Dialect = {
  kysely: new Kysely<AnyDatabase>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  booleans: 'integer',
  numbers: 'native',
  locks: null,
  leaseList: null,
  many: null,
  // The file may be the host's own, with tables of the same names.
  table: (name) => `quittance_${name}`,
}
