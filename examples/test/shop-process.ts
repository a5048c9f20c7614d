import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEngine } from '@quittance/core'
import { fileLedger, simulatedProcessor } from '@quittance/processor-simulator'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import SqliteDatabase from 'better-sqlite3'
import { Client } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../tests/free-port.ts'

const secret = 'a secret of the tests, 32 bytes or more'

export type Shop = Awaited<ReturnType<typeof openShop>>

/** Where a shop keeps its data: SQLite in its home if no database is named. */
export interface ShopPlace {
  home: string
  environment: { DATABASE_URL?: string; REDIS_URL?: string }
}

/** Starts an example as its start script does, and waits until it is open. */
export async function openShop(example: string, place: Partial<ShopPlace> = {}) {
  const { home = temporaryFolder(), environment = {} } = place
  const folder = new URL(`../${example}/`, import.meta.url)
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
  const [, , ...args] = String(scripts.start).split(' ')
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    SHOP_HOME: home,
    SHOP_SECRET: secret,
    ...environment,
  }
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(folder),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const { log, logged } = listenTo(child)
  await logged('the shop is open')
  return {
    place: { home, environment },
    origin: `http://localhost:${port}`,
    log,
    logged,
    rows: <Row>(sql: string): Promise<Row[]> => readRows(sql, { home, environment }),
    async stop() {
      child.kill('SIGTERM')
      const [code] = await once(child, 'exit')
      return code as number | null
    },
  }
}

async function readRows<Row>(sql: string, { home, environment }: ShopPlace): Promise<Row[]> {
  if (environment.DATABASE_URL === undefined) {
    const database = new SqliteDatabase(join(home, 'shop.db'))
    const rows = database.prepare<[], Row>(sql).all()
    database.close()
    return rows
  }
  const client = new Client({ connectionString: environment.DATABASE_URL })
  await client.connect()
  // On Postgres the tables are in a schema, without SQLite's prefix `quittance_`.
  const { rows } = await client.query(sql.replace(/\bquittance_/g, 'quittance.'))
  await client.end()
  return rows as Row[]
}

/** All that a process prints, and how to wait until it has printed something. */
function listenTo(child: ChildProcess) {
  let said = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk
      for (const look of waiting) look()
    })
  }
  const logged = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => void (said.includes(text) && resolve())
      waiting.add(look)
      child.once('exit', () => reject(new Error(`It ended without saying "${text}":\n${said}`)))
      look()
    })
  return { log: () => said, logged }
}

const card = { method: 'card', token: 'tok_test_visa' }
const debit = {
  method: 'us_bank_account',
  token: 'btok_test_refused',
  accepted: 'yes',
  terms_version: '2026-01',
}

/** As a browser would: orders, follows the redirect to the page, and submits its form. */
export async function buy({ origin }: Pick<Shop, 'origin'>, item: string, by: 'card' | 'debit' = 'card') {
  const form = (fields: Record<string, string>) =>
    ({ method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' }) as const
  const ordered = await fetch(`${origin}/orders`, form({ item }))
  expect(ordered.status).toBe(303)
  const page_url = ordered.headers.get('location') ?? ''
  const page = await (await fetch(page_url)).text()
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  const payer = { ...{ card, debit }[by], name: 'Ada Lovelace', postal_code: '94107' }
  const paid = await fetch(page_url, form({ ...payer, key: field('key'), amount: field('amount') }))
  expect(paid.status).toBe(303)
  const receipt = await (await fetch(new URL(paid.headers.get('location') ?? '', page_url))).text()
  const [, order_url = ''] = /href="([^"]*\/orders\/[^"]*)"/.exec(receipt) ?? []
  return { page_url, order_url }
}

/** Has the sandbox's bank decide on the debit of an order, through a second engine beside the shop's. */
export async function openBank({ place: { home, environment }, rows }: Shop) {
  const { DATABASE_URL: connectionString } = environment
  const engine = createEngine({
    store: connectionString
      ? postgresStore({ connectionString })
      : sqliteStore({ filename: join(home, 'shop.db') }),
    secret,
    processors: { sandbox: simulatedProcessor({ ledger: fileLedger(join(home, 'processor.jsonl')) }) },
    publicUrl: 'https://bank.example.com',
    testHelpers: true,
  })
  onTestFinished(() => engine.close())
  const [workspace] = await rows<{ value: string }>(
    `SELECT value FROM shop_settings WHERE name = 'workspace'`,
  )
  const caller = await engine.caller({ workspace: workspace?.value ?? '', livemode: false })
  return async (step: 'settle' | 'fail' | 'return', { order_url }: { order_url: string }) => {
    const order = order_url.split('/').at(-1)
    const [paid] = await rows<{ payment: string }>(`SELECT payment FROM shop_orders WHERE id = '${order}'`)
    const stepped = await engine.testHelpers?.payment[step](caller, { id: paid?.payment })
    expect(stepped?.isOk()).toBe(true)
  }
}

export function temporaryFolder(): string {
  const home = mkdtempSync(join(tmpdir(), 'quittance-shop-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}
