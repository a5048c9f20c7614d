import { once } from 'node:events'
import { mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { fileLedger } from '@quittance/processor-simulator'
import { sqliteStore } from '@quittance/store-sqlite'
import { createSender } from '@quittance/webhooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFile } from '../../packages/store-sqlite/test/temporary-file.ts'
import { openSandbox } from '../../packages/testing/src/builders/sandbox.ts'
import { receiverTorture } from '../../packages/testing/src/receiver-torture/receiver-torture.ts'
import { freePort } from '../free-port.ts'

interface Resolving {
  _resolveFilename(name: string, ...more: unknown[]): string
}

// As in Jest and in `vmThreads` of Vitest, what Node throws here is no instance of `Error`: none of it was recognized.
it('is a realm of its own', () => {
  expect.assertions(1)
  try {
    readFileSync('missing')
  } catch (fault) {
    expect(fault).not.toBeInstanceOf(Error)
  }
})

it('opens SQLite where better-sqlite3 is not installed', async () => {
  const modules = process.getBuiltinModule('node:module') as unknown as Resolving
  const resolve = modules._resolveFilename
  const hiding = vi.spyOn(modules, '_resolveFilename')
  onTestFinished(() => hiding.mockRestore())
  hiding.mockImplementation((name, ...more) =>
    resolve(name === 'better-sqlite3' ? 'not-installed' : name, ...more),
  )
  const store = sqliteStore({ filename: ':memory:' })
  await store.migrate()
  await store.close()
  expect(hiding).toHaveBeenCalled()
})

it('waits while another connection writes', async () => {
  const { filename, remove } = temporaryFile()
  onTestFinished(remove)
  const { engine } = await openSandbox({ store: sqliteStore({ filename, driver: 'node:sqlite' }) })
  const other = new DatabaseSync(filename)
  other.exec('BEGIN IMMEDIATE')
  const created = engine.admin.workspaces.create({ name: 'Later' })
  setTimeout(() => other.exec('ROLLBACK'), 100)
  expect((await created).name).toBe('Later')
  other.close()
  await engine.close()
})

it('breaks the lock that a killed process has left on a ledger', () => {
  const { filename, remove } = temporaryFile()
  onTestFinished(remove)
  mkdirSync(`${filename}.lock`)
  utimesSync(`${filename}.lock`, 0, 0)
  expect(fileLedger(filename).load()).toEqual([])
})

it('says that a receiver has reset the connection', async () => {
  const receiver = createServer((socket) => socket.on('data', () => socket.resetAndDestroy()))
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void receiver.close())
  const { port } = receiver.address() as AddressInfo
  const sender = createSender({ allowInsecureDestinations: true })
  onTestFinished(() => sender.close())
  const outcome = await sender.send({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' })
  expect(outcome.error).toBe('connection reset')
})

it('says that a receiver under torture refuses connections', async () => {
  const handler = `http://127.0.0.1:${await freePort()}/`
  const [finding] = await receiverTorture({ handler, effects: () => ({}), secret: 'whsec_test' })
  expect(finding?.got).toContain('ECONNREFUSED')
})
