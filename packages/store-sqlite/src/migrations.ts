import type { Connection } from './database.ts'
import { migration_texts } from './migration-texts.ts'

const bookkeeping = `CREATE TABLE IF NOT EXISTS "quittance_migrations" ("name" TEXT PRIMARY KEY NOT NULL) STRICT;\n`

type MigrationText = (typeof migration_texts)[number]

/** The migrations that the database has not had yet, in order. */
export function pendingMigrations(connection: Connection): MigrationText[] {
  const [exists] = connection
    .prepare(`SELECT 1 FROM "sqlite_master" WHERE "name" = 'quittance_migrations'`)
    .all()
  const done = exists && connection.prepare('SELECT "name" FROM "quittance_migrations"').all()
  const applied = new Set(done?.map(({ name }) => name))
  return migration_texts.filter(([name]) => !applied.has(name))
}

/** Must run inside a write transaction. Checks there again what is pending, because no other process can interfere. */
export function runMigrations(connection: Connection): void {
  connection.exec(bookkeeping)
  for (const pending of pendingMigrations(connection)) connection.exec(migration(pending))
}

/** All migrations, for an empty database, with their bookkeeping. */
export function migrationsSql(): string {
  return [bookkeeping, ...migration_texts.map(migration)].join('\n')
}

function migration([name, sql]: MigrationText): string {
  return `${sql}\nINSERT INTO "quittance_migrations" ("name") VALUES ('${name}');\n`
}
