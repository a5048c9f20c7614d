import { type EmbeddedServer, embeddedPostgres } from '../../../tests/embedded-postgres.ts'

export type PostgresServer = Pick<EmbeddedServer, 'url' | 'stop'>

/** The server of TEST_POSTGRES_URL, or one that is started for the tests and leaves nothing behind. */
export async function postgresServer(): Promise<PostgresServer> {
  const given = process.env.TEST_POSTGRES_URL
  if (given !== undefined && given !== '') return { url: new URL('/', given).href, stop: async () => {} }
  // embedded-postgres ends a process that has nothing left to do with 0, also when tests have failed in it.
  process.prependOnceListener('beforeExit', () => process.exit())
  // The tests kill sessions and processes, not the machine.
  return embeddedPostgres(['fsync=off', 'max_connections=500'], ['--no-sync'])
}

/** For vitest's `globalSetup`: one server for all test files of a run. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await postgresServer()
  process.env.TEST_POSTGRES_URL = server.url
  return () => server.stop()
}
