import { readdirSync, readFileSync } from 'node:fs'
import type { Connection } from './database.ts'

/** Next to `src`, and next to `dist`. */
const folder = new URL('../migrations/', import.meta.url)

const bookkeeping = `CREATE TABLE IF NOT EXISTS "quittance_migrations" ("name" TEXT PRIMARY KEY NOT NULL) STRICT;\n`

/** Names of the migrations that the database has not had yet, in order. */
export function pendingMigrations(connection: Connection): string[] {
  const done = appliedMigrations(connection)
  return migrationNames().filter((name) => !done.has(name))
}

/** Must run inside a write transaction. Checks there again what is pending, because no other process can interfere. */
export function runMigrations(connection: Connection): void {
  connection.exec(bookkeeping)
  for (const name of pendingMigrations(connection)) connection.exec(migration(name))
}

/** All migrations, for an empty database, with their bookkeeping. */
export function migrationsSql(): string {
  return [bookkeeping, ...migrationNames().map(migration)].join('\n')
}

function migration(name: string): string {
  const statements = readFileSync(new URL(`${name}.sql`, folder), 'utf8')
  return `${statements}\nINSERT INTO "quittance_migrations" ("name") VALUES ('${name}');\n`
}

function migrationNames(): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  return files.map((file) => file.slice(0, -'.sql'.length)).sort()
}

function appliedMigrations(connection: Connection): Set<unknown> {
  const [exists] = connection
    .prepare(`SELECT 1 FROM "sqlite_master" WHERE "name" = 'quittance_migrations'`)
    .all()
  if (exists === undefined) return new Set()
  const rows = connection.prepare('SELECT "name" FROM "quittance_migrations"').all()
  return new Set(rows.map(({ name }) => name))
}
