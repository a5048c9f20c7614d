import { copyFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@quittance/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { here, seed } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { sqliteStore } from '../src/sqlite-store.ts'
import { temporaryFile } from './temporary-file.ts'

describe('a store whose file is taken away from under it', () => {
  let file: ReturnType<typeof temporaryFile>
  let store: Store
  let rows = 0
  const write = () => {
    rows += 1
    return seed(store, here, [['customers', sampleRow('customers', here, `c${rows}`)]])
  }
  const writeOn = async () => {
    for (;;) await write()
  }
  beforeEach(async () => {
    file = temporaryFile()
    store = sqliteStore({ filename: file.filename, driver: 'better-sqlite3' })
    await store.migrate()
    await write()
  })
  afterEach(async () => {
    await store.close()
    file.remove()
  })

  it.each<[string, (filename: string) => void]>([
    ['another library of the process closes it, which deletes its log', (name) => closeElsewhere(name)],
    ['it is deleted', (name) => rmSync(name)],
    ['its log is deleted', (name) => rmSync(`${name}-wal`)],
    ['it is replaced', (name) => replace(name)],
  ])('soon answers no write any more as if it had lasted: %s', async (_, takeAway) => {
    takeAway(file.filename)
    await expect(writeOn()).rejects.toThrow('was taken away from under the store')
    await expect(write()).rejects.toThrow('was taken away from under the store')
  })

  it('is not taken in by a name that leads to it', async () => {
    await store.close()
    symlinkSync(file.filename, `${file.filename}.link`)
    store = sqliteStore({ filename: `${file.filename}.link` })
    for (const end_ms = performance.now() + 250; performance.now() < end_ms; ) await write()
  })
})

function replace(filename: string): void {
  copyFileSync(filename, `${filename}.copy`)
  renameSync(`${filename}.copy`, filename)
}

function closeElsewhere(filename: string): void {
  const other = new DatabaseSync(filename)
  other.exec('CREATE TABLE "elsewhere" ("id" TEXT)')
  other.close()
}
