import pg from 'pg'

/** A table of the host's in this schema: gives back what writes a row of it and, in the same transaction, a job. */
export async function hostRows(connectionString: string, schema: string) {
  const pool = new pg.Pool({ connectionString })
  await pool.query(`CREATE TABLE "${schema}".host_rows (id text PRIMARY KEY)`)
  return async (id: string, addJob: (client: pg.PoolClient) => Promise<unknown>): Promise<void> => {
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query(`INSERT INTO "${schema}".host_rows VALUES ($1)`, [id])
    await addJob(client)
    await client.query('COMMIT')
    client.release()
  }
}
