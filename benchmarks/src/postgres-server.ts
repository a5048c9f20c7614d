import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { embeddedPostgres } from '../../tests/embedded-postgres.ts'

/**
 * Runs against a database of its own, dropped afterwards: on the server of TEST_POSTGRES_URL, or on a Postgres 18 with its
 * defaults, which sync every commit to the disk.
 */
export async function withPostgres<Value>(run: (url: string) => Promise<Value>): Promise<Value> {
  const server = await startPostgres()
  const name = `quittance_bench_${randomUUID().replaceAll('-', '')}`
  try {
    await administer(server.url, `CREATE DATABASE ${name}`)
    await assertSynced(server.url)
    const value = await run(new URL(name, server.url).href)
    await administer(server.url, `DROP DATABASE ${name} WITH (FORCE)`)
    return value
  } finally {
    await server.stop()
  }
}

async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_POSTGRES_URL
  return given ? { url: new URL('/', given).href, stop: async () => {} } : embeddedPostgres()
}

async function assertSynced(url: string): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit']) {
    const [row] = (await administer(url, `SELECT current_setting('${setting}') AS value`)).rows
    if (row?.value === 'off') throw new Error(`Postgres runs with ${setting}=off: nothing would be compared`)
  }
}

async function administer(url: string, statement: string): Promise<pg.QueryResult<{ value: string }>> {
  const client = new pg.Client({ connectionString: new URL('postgres', url).href })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
