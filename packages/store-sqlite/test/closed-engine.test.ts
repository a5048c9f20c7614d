import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openSandbox } from '../../testing/src/builders/sandbox.ts'
import { sqliteStore } from '../src/sqlite-store.ts'

it('a closed engine joins no transaction of a host, whose database stays open', async () => {
  const database = new Database(':memory:')
  const { engine, caller } = await openSandbox({ store: sqliteStore({ database }) })
  const listed = async () => engine.withTransaction(database).customers.list(caller, {})
  database.exec('BEGIN IMMEDIATE')
  expect((await listed()).isOk()).toBe(true)
  database.exec('COMMIT')
  await engine.close()
  database.exec('BEGIN IMMEDIATE')
  await expect(listed()).rejects.toThrow('The engine has been closed.')
  database.exec('COMMIT')
  database.close()
})
