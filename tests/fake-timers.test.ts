import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { createHandler, toNodeListener } from '@quittance/transport-http'
import { startDispatcher } from '@quittance/webhooks'
import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { testDatabase } from '../packages/store-postgres/test/database.ts'
import { temporaryFile } from '../packages/store-sqlite/test/temporary-file.ts'
import { accepted, pay } from '../packages/testing/src/builders/requests.ts'
import { openSandbox } from '../packages/testing/src/builders/sandbox.ts'
import { webReceiver } from '../packages/webhooks/test/web-receiver.ts'

const database = testDatabase()

// A first write waited for ever, a first request as well, and all after it, also once the timers were real again.
it('pays, answers, sends and verifies where a host’s tests have replaced all timers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { filename, remove } = temporaryFile()
  onTestFinished(remove)
  const store = sqliteStore({ filename })
  const sandbox = await openSandbox({ store, allowInsecureDestinations: true })
  const { engine, scope, caller } = sandbox
  const { url, received } = await webReceiver()
  accepted(await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] }))
  const dispatcher = startDispatcher(engine)
  expect(accepted(await pay(sandbox, 'tok_test_visa')).status).toBe('succeeded')
  await dispatcher.drain()
  await dispatcher.stop()
  expect(received).toHaveLength(1)

  const { key } = accepted(await engine.admin.keys.create(scope, { type: 'secret' }))
  const server = createServer(toNodeListener(createHandler(engine))).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { authorization: `Bearer ${key}` }
  const asked = get({ host: '127.0.0.1', port, path: '/v1/account', headers, agent: false })
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(200)

  expect((await engine.verify()).violations).toEqual([])
  await engine.close()
})

// The pause after an announcement never ended, and closing waits for it.
it('files what another process sends, and closes, on Postgres where a host’s tests have replaced all timers', async () => {
  const { connectionString } = database()
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const sandbox = await openSandbox({ store: postgresStore({ connectionString }) })
  const { engine, caller } = sandbox
  const url = 'https://receiver.example.com'
  accepted(await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] }))
  // While the last is made, the first is announced.
  for (let payments = 0; payments < 5; payments += 1) accepted(await pay(sandbox, 'tok_test_visa'))
  await engine.close()
})

// A query that had just been sent had taken thirty seconds.
it('waits for the answer of Postgres in real time, where a host’s tests pass theirs', async () => {
  const { pool: watching, connectionString } = database()
  const pool = new pg.Pool({ connectionString, max: 1 })
  onTestFinished(() => pool.end())
  const store = postgresStore({ pool, notify: false })
  await store.migrate()
  const holder = await watching.connect()
  await holder.query('BEGIN; LOCK TABLE "quittance"."api_keys"')
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const found = store.findApiKey('hash')
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await expect.poll(async () => (await watching.query(waiting)).rowCount).toBe(1)
  await vi.advanceTimersByTimeAsync(60_000)
  await holder.query('ROLLBACK')
  holder.release()
  expect(await found).toBeUndefined()
  await store.close()
})
