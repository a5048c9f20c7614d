import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import SqliteDatabase from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '../packages/store-postgres/test/database.ts'
import { root } from '../tools/packages.ts'
import { ask, confirmedSession } from './server/client.ts'
import { bareStart, startServer, temporaryHome } from './server/dev-server.ts'

const database = testDatabase()

function home(): string {
  const { home, remove } = temporaryHome()
  onTestFinished(remove)
  return home
}

/** Runs `quittance doctor` on the database of that home. */
function doctor(at: string, store = ''): Promise<{ code: number; said: string }> {
  const args = ['--conditions=@quittance/source', 'packages/cli/src/main.ts', 'doctor']
  const env = { ...process.env, QUITTANCE_HOME: at, QUITTANCE_STORE: store }
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: fileURLToPath(root), env }, (fault, out, err) =>
      resolve({ code: Number(fault?.code ?? 0), said: out + err }),
    )
  })
}

it('quittance doctor finds nothing beside a running server, and names the row that somebody broke', async () => {
  const at = home()
  const server = await startServer(bareStart(), at)
  onTestFinished(() => server.destroy())
  const charge = { amount: 4200, currency: 'usd', payment_method_session: await confirmedSession(server) }
  const paid = await ask<{ id: string }>(server, '/payments', { post: charge, idempotency_key: 'order-1001' })
  const well = await doctor(at)
  expect(well.said).toMatch(/^\d+ rows checked, 0 violations\n$/)
  expect(well.code).toBe(0)

  const database = new SqliteDatabase(join(at, 'dev.db'))
  database.prepare('UPDATE quittance_payments SET amount_refunded = 4300 WHERE id = ?').run(paid.body.id)
  database.close()
  const ill = await doctor(at)
  expect(ill.said).toContain(`M13 payments ${paid.body.id} of 4200 is refunded with 4300 (workspace `)
  expect(ill.said).toMatch(/ rows checked, \d violations\n$/)
  expect(ill.code).toBe(1)
})

it('quittance doctor does not call well what it found no workspace in', async () => {
  const at = home()
  const server = await startServer(bareStart(), at)
  onTestFinished(() => server.destroy())
  await confirmedSession(server)
  expect(await server.stop('SIGTERM')).toBe(0)
  const database = new SqliteDatabase(join(at, 'dev.db'))
  database.exec('DELETE FROM quittance_workspaces')
  const gone = await doctor(at)
  expect(gone.said).toMatch(
    /^M47 \w+ \S+ is of a workspace that is not there .+\n0 rows checked, 1 violation\n$/,
  )
  expect(gone.code).toBe(1)
  const tables = database.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%due_at%'",
  )
  for (const { name } of tables.all() as { name: string }[]) database.exec(`DELETE FROM ${name}`)
  database.close()
  const empty = await doctor(at)
  expect(empty.said).toBe('Nothing was found to check: the database has no workspace.\n')
  expect(empty.code).toBe(2)
})

it('quittance doctor makes no database where there is none', async () => {
  const at = home()
  const { code, said } = await doctor(at)
  expect(said).toBe(`There is no database ${join(at, 'dev.db')}.\n`)
  expect(code).toBe(2)
  expect(existsSync(join(at, 'dev.db'))).toBe(false)
})

it('quittance doctor says why a database could not be checked', async () => {
  const { code, said } = await doctor(home(), 'postgres://127.0.0.1:1/nobody')
  expect(said).toBe('Postgres has done nothing of this: connect ECONNREFUSED 127.0.0.1:1\n')
  expect(code).toBe(2)
})

it('quittance doctor looks where the server writes: in the schema that QUITTANCE_STORE names', async () => {
  const at = home()
  const { connectionString } = database()
  const store = `${connectionString}?application_name=dev&schema=a%20shop`
  const server = await startServer(bareStart(), at, '0', store)
  onTestFinished(() => server.destroy())
  const well = await doctor(at, store)
  expect(well.said).toMatch(/^[1-9]\d* rows checked, 0 violations\n$/)
  expect(well.code).toBe(0)
  const elsewhere = await doctor(at, connectionString)
  expect(elsewhere.said).toMatch(/^The database lacks .+: migrate it first\.\n$/)
  expect(elsewhere.code).toBe(2)
  expect(await server.stop('SIGTERM')).toBe(0)
})
