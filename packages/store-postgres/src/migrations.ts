import type { Store } from '@quittance/core'
import type { PoolClient, QueryResultRow } from 'pg'
import type { Connections } from './connections.ts'
import { migration_texts } from './migration-texts.ts'
import { literal, quoted } from './quoting.ts'
import { begin } from './units/one-trip.ts'

/** Long, because a migration may rewrite a large table, or wait for another process that does. */
const migration_ms = 60 * 60 * 1000

/**
 * Readiness checks ask what is pending: on a network that drops what is sent, each check would keep a connection of the pool
 * until none is left.
 */
const check_ms = 10_000

/** Until COMMIT: the limits of a role are meant for its queries. Which of them exist depends on the version of Postgres. */
const unlimited = `SELECT set_config("name", '0', true) FROM pg_settings
WHERE "name" IN ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`

/** SQL_ASCII keeps the bytes that it gets, which are UTF8. */
const checking = `IF current_setting('server_encoding') NOT IN ('UTF8', 'SQL_ASCII') THEN RAISE EXCEPTION
  'The database is in %, which lacks characters: it has to be in UTF8.', current_setting('server_encoding'); END IF;`

/** Not IF NOT EXISTS, which needs the right to create schemas even if somebody else has created this one. */
function creating(schema: string): string {
  const create = `IF to_regnamespace(${literal(quoted(schema))}) IS NULL THEN CREATE SCHEMA ${quoted(schema)}; END IF;`
  return `DO ${literal(`BEGIN ${checking} ${create} END`)};\n`
}

const bookkeeping = `CREATE TABLE IF NOT EXISTS "migrations" ("name" text COLLATE "C" PRIMARY KEY);\n`

export function migrations(
  connections: Connections,
  schema: string,
  limits = { check_ms },
): Pick<Store, 'migrate' | 'migrations'> {
  const pending = async () => {
    const ask = asking(limits.check_ms)
    const texts = await connections.using((client) => pendingMigrations(client, { schema, ask }))
    return texts.map(([name]) => name)
  }
  return {
    async migrate() {
      if ((await pending()).length > 0) await connections.using((client) => runMigrations(client, schema))
    },
    migrations: { pending, sql: () => migrationsSql(schema) },
  }
}

type MigrationText = (typeof migration_texts)[number]

interface Pending {
  schema: string
  ask: ReturnType<typeof asking>
}

/** The migrations that the schema has not had yet, in order. */
async function pendingMigrations(client: PoolClient, { schema, ask }: Pending): Promise<MigrationText[]> {
  const table = `${quoted(schema)}."migrations"`
  // Asks for a row, not for a boolean, which the host's pool may parse in its own way.
  const found = await ask(client, 'SELECT 1 WHERE to_regclass($1) IS NOT NULL', [table])
  const done =
    found.rows.length > 0 ? await ask<{ name: string }>(client, `SELECT "name" FROM ${table}`) : undefined
  const applied = new Set(done?.rows.map(({ name }) => name))
  return migration_texts.filter(([name]) => !applied.has(name))
}

/** One transaction, whose lock keeps other processes out. Checks what is pending again once it has the lock. */
async function runMigrations(client: PoolClient, schema: string): Promise<void> {
  const ask = asking(migration_ms)
  const run = (text: string, values?: string[]) => ask(client, text, values)
  await run(begin.statement.sql)
  try {
    await run(unlimited)
    await run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`quittance migrations of ${schema}`])
    await run(creating(schema))
    await run(`SET LOCAL search_path TO ${quoted(schema)}`)
    await run(bookkeeping)
    for (const pending of await pendingMigrations(client, { schema, ask })) await run(migration(pending))
    await run('COMMIT')
  } catch (fault) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw fault
  }
}

/** The timeout is spread, because the types of pg lack it. */
function asking(query_timeout: number) {
  return <Row extends QueryResultRow>(client: PoolClient, text: string, values: string[] = []) =>
    client.query<Row>({ text, values, ...{ query_timeout } })
}

/** All migrations, for an empty database, with their bookkeeping. */
function migrationsSql(schema: string): string {
  const parts = [
    creating(schema),
    `SET search_path TO ${quoted(schema)};\n`,
    bookkeeping,
    ...migration_texts.map(migration),
    'RESET search_path;\n',
  ]
  return parts.join('\n')
}

function migration([name, sql]: MigrationText): string {
  return `${sql}\nINSERT INTO "migrations" ("name") VALUES ('${name}');\n`
}
