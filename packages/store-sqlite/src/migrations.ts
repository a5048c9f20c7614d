import type { Connection } from './database.ts'
import { migration_texts } from './migration-texts.ts'

const bookkeeping = `CREATE TABLE IF NOT EXISTS "quittance_migrations" ("name" TEXT PRIMARY KEY NOT NULL) STRICT;\n`

/** Names of the migrations that the database has not had yet, in order. */
export function pendingMigrations(connection: Connection): string[] {
  return pendingOf(connection).map(([name]) => name)
}

/** Must run inside a write transaction. Checks there again what is pending, because no other process can interfere. */
export function runMigrations(connection: Connection): void {
  connection.exec(bookkeeping)
  for (const pending of pendingOf(connection)) connection.exec(migration(pending))
}

/** All migrations, for an empty database, with their bookkeeping. */
export function migrationsSql(): string {
  return [bookkeeping, ...migration_texts.map(migration)].join('\n')
}

type MigrationText = (typeof migration_texts)[number]

function migration([name, sql]: MigrationText): string {
  return `${sql}\nINSERT INTO "quittance_migrations" ("name") VALUES ('${name}');\n`
}

function pendingOf(connection: Connection): MigrationText[] {
  const done = appliedMigrations(connection)
  return migration_texts.filter(([name]) => !done.has(name))
}

function appliedMigrations(connection: Connection): Set<unknown> {
  const [exists] = connection
    .prepare(`SELECT 1 FROM "sqlite_master" WHERE "name" = 'quittance_migrations'`)
    .all()
  if (exists === undefined) return new Set()
  const rows = connection.prepare('SELECT "name" FROM "quittance_migrations"').all()
  return new Set(rows.map(({ name }) => name))
}
