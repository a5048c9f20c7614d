import pg from 'pg'
import type { Ground } from './contender.ts'
import type { PostgresLog } from './delivery-log.ts'

/** A table of the host. Resolves to a function that writes a row of it and, in the same transaction, a job and its delivery. */
export async function hostRows({ postgres: connectionString, name: schema }: Ground, log?: PostgresLog) {
  const pool = new pg.Pool({ connectionString })
  await pool.query(`CREATE TABLE "${schema}".host_rows (id text PRIMARY KEY)`)
  return async (id: string, addJob: (client: pg.PoolClient) => Promise<unknown>): Promise<void> => {
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query(`INSERT INTO "${schema}".host_rows VALUES ($1)`, [id])
    await log?.fileIn(client, [id])
    await addJob(client)
    await client.query('COMMIT')
    client.release()
  }
}
