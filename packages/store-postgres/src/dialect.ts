import type { AnyDatabase, Dialect, Locks, Statement } from '@quittance/store-sql'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { leaseList } from './claims/lease-list.ts'
import { literal } from './quoting.ts'
import { manyRows } from './units/many-rows.ts'

/** How long the transaction of a unit that leases may be idle. */
const frozen_ms = 2_000

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
    // Our own driver gives booleans and int8 as what they are.
    booleans: 'native',
    numbers: 'native',
    locks: locksOf(schema, scopeLock(schema, '_shared')),
    leaseList: leaseList(schema),
    many: manyRows(schema),
    table: (name) => name,
  }
}

/**
 * The same for a unit of work that runs again after a collision. Two units that share the lock of a scope and both want it
 * exclusively, as where a listener edits an endpoint, would collide each time: this one takes it exclusively from the start.
 */
export function unsharedDialect(schema: string): Dialect {
  return { ...postgresDialect(schema), locks: locksOf(schema, scopeLock(schema, '')) }
}

/** The same for kysely's driver, be it of pg or postgres.js, which sends one statement after another and gives int8 as text. */
export function kyselyDialect(schema: string): Dialect {
  return { ...postgresDialect(schema), numbers: 'text', jsonAsText: true }
}

function locksOf(schema: string, shared: string): Locks {
  return {
    scope: { shared: lock(shared, stale), exclusive: exclusiveLock(schema) },
    leases: leaseLock(schema),
  }
}

const lock = (...calls: string[]): Statement => ({ sql: `SELECT ${calls.join(', ')}` })

/** Our transactions are at READ COMMITTED; a joined one of the host's may not be. */
const stale = `current_setting('transaction_isolation') IN ('repeatable read', 'serializable') AS "stale"`

/** An advisory lock: only those who ask for it wait for it. The seed, 1, keeps it apart from the lock of a claim. */
function scopeLock(schema: string, suffix: '_shared' | ''): string {
  return `pg_advisory_xact_lock${suffix}(hashtextextended(${literal(`${schema} `)} || $1::text || ' ' || $2::text, 1))`
}

/**
 * Keeps claims out, too: a running claim reads an endpoint as it was when its statement began. Their lock is taken shared,
 * because it is one for both environments, and units of one do not wait for those of the other.
 */
function exclusiveLock(schema: string): Statement {
  const claims = `pg_advisory_xact_lock_shared(${claimKey(literal(schema), '$1::text')})`
  return lock(scopeLock(schema, ''), claims, stale)
}

/** What a claim locks of a workspace. */
export function claimKey(schema: string, workspace: string): string {
  return `hashtextextended(${schema} || ' ' || ${workspace}, 0)`
}

/** The lock of a claim. Only COMMIT is left to do then: a process that freezes before it holds claims up for `frozen_ms`. */
function leaseLock(schema: string): Statement {
  const patience = `set_config('idle_in_transaction_session_timeout', '${frozen_ms}', true)`
  return lock(`pg_try_advisory_xact_lock(${claimKey(literal(schema), '$1::text')}) AS "locked"`, patience)
}
