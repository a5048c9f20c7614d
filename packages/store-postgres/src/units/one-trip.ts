import type { SqlRow, Statement } from '@quittance/store-sql'
import type { PoolClient } from 'pg'
import { isLoss, retriable } from '../faults.ts'
import { type Command, sendBatch } from './batch.ts'

export const begin: Command = { statement: { sql: 'BEGIN ISOLATION LEVEL READ COMMITTED' }, values: [] }
export const commit: Command = { statement: { sql: 'COMMIT' }, values: [] }
export const rollback: Command = { statement: { sql: 'ROLLBACK' }, values: [] }

/**
 * To select in a transaction whose COMMIT has to be on the disk before it is answered. After the transaction the session has
 * its own setting again: it may be one of the host's pool, and behind a pooler the next transaction is in another session.
 */
export const durable = `set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true)`

/**
 * To select where locks are waited for, which a read does too, behind a migration or a VACUUM FULL. Shorter than the wait for an
 * answer (`batch.ts`): whoever gives up on an answer leaves a session behind that still waits for the lock.
 */
export const bounded = `set_config('lock_timeout', coalesce(nullif(current_setting('lock_timeout'), '0'), '20s'), true)`

/** Until COMMIT, or in a batch without a transaction until its end. */
export const patience: Command = { statement: { sql: `SELECT ${bounded}` }, values: [] }

/** Parameter: milliseconds. Until COMMIT: how long to wait for a lock. */
export const patient: Statement = { sql: `SELECT set_config('lock_timeout', $1, true)` }

/** Runs a transaction whose statements are known before it begins, and returns the rows of each. */
export async function inOneTrip(client: PoolClient, commands: readonly Command[]): Promise<SqlRow[][]> {
  const { answers, fault } = await sendBatch(client, [begin, ...commands, commit])
  if (fault === undefined) return answers.slice(1, -1).map(({ rows }) => rows)
  if (!isLoss(fault)) await sendBatch(client, [rollback])
  throw retriable(fault)
}
