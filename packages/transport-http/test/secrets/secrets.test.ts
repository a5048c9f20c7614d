import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Store, tables } from '@quittance/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../../store-postgres/src/postgres-store.ts'
import { testDatabase } from '../../../store-postgres/test/database.ts'
import { sqliteStore } from '../../../store-sqlite/src/sqlite-store.ts'
import { liveThrough, type Planted, visible } from './history.ts'
import { openHouse } from './house.ts'

const database = testDatabase()

interface Kept {
  store: Store
  /** Every byte of the database. */
  bytes(): Promise<Record<string, string>>
}

const databases: Record<string, (folder: string) => Kept> = {
  SQLite: (folder) => ({
    store: sqliteStore({ filename: join(folder, 'dev.db') }),
    async bytes() {
      const files = readdirSync(folder).filter((name) => name.startsWith('dev.db'))
      return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'latin1')]))
    },
  }),
  Postgres: () => {
    const { connectionString, pool, schema } = database()
    const name = schema()
    return {
      store: postgresStore({ connectionString, schema: name }),
      async bytes() {
        const dump: Record<string, string> = {}
        for (const table of Object.keys(tables)) {
          const { rows } = await pool.query(`SELECT t::text AS row FROM "${name}"."${table}" t`)
          dump[table] = rows.map(({ row }) => row).join('\n')
        }
        return dump
      },
    }
  },
}

describe.each(Object.keys(databases))('whoever reads what a house on %s leaves lying about', (name) => {
  it('finds no secret in its logs, its answers, its database or its processor’s ledger', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quittance-secrets-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { store, bytes } = databases[name]?.(folder) ?? expect.fail()
    await store.migrate()
    onTestFinished(() => store.close())
    const house = await openHouse({ store, folder })
    const planted = await liveThrough(house)

    expect(Object.keys(planted).length).toBeGreaterThan(15)
    for (const [what, secret] of Object.entries(planted)) expect(secret.length, what).toBeGreaterThan(11)
    const places = {
      ...(await bytes()),
      'the log': house.logged.join('\n'),
      'the answers': house.answers.filter((answer) => !shows_once.test(answer)).join('\n'),
      'the ledger of the processor': readFileSync(house.ledger_file, 'utf8'),
    }
    expect(found(planted, places)).toEqual([])
    // A page says where its own form goes.
    const opened = Object.entries(planted).filter(([what]) => !what.startsWith('the address of'))
    expect(found(Object.fromEntries(opened), { 'the pages': house.shown.join('\n') })).toEqual([])

    // It looks where there is something to be found.
    const rows = name === 'SQLite' ? 'dev.db-wal' : 'payments'
    expect(places).toHaveProperty([rows], expect.stringContaining(visible))
    for (const answer of [
      visible,
      '"status":"paid"',
      '"status":"complete"',
      'last_error":"http 500"',
      'last_response_status":200',
    ])
      expect(house.answers.join(), answer).toContain(answer)
    expect([...house.statuses].sort()).toEqual([200, 400, 401, 402, 404, 500])
    expect(places['the log']).toContain('the host has a fault of its own')
    expect(places['the ledger of the processor']).toContain('tok_test_visa')
  })
})

/** Answers that show a secret because the specification says so: creates, and where a page is that can be paid. */
const shows_once =
  /"client_secret":"|"secret":"whsec_|"apiKey":"sk_|"key":"sk_|"(?:url|payment_url)":"https:\/\/pay\./

/** Where which secret is, as it is or in the ways that bytes are written down. */
function found(planted: Planted, places: Record<string, string>): string[] {
  return Object.entries(planted).flatMap(([what, secret]) => {
    const bytes = Buffer.from(secret)
    const written = [
      secret,
      bytes.toString('hex'),
      bytes.toString('base64').replace(/.=*$/, ''),
      encodeURIComponent(secret),
    ]
    return Object.entries(places)
      .filter(([, text]) => written.some((form) => text.includes(form)))
      .map(([place]) => `${what} in ${place}`)
  })
}
