import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import SqliteDatabase from 'better-sqlite3'
import { Client } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../tests/free-port.ts'

export type Shop = Awaited<ReturnType<typeof openShop>>

/** Where a shop keeps its things; SQLite in its home where no database is named. */
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
    SHOP_SECRET: 'a secret of the tests, 32 bytes or more',
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
    const database = new SqliteDatabase(join(home, 'shop.db'), { readonly: true })
    const rows = database.prepare<[], Row>(sql).all()
    database.close()
    return rows
  }
  const client = new Client({ connectionString: environment.DATABASE_URL })
  await client.connect()
  // What SQLite calls quittance_payments is in a schema here.
  const { rows } = await client.query(sql.replace(/\bquittance_/g, 'quittance.'))
  await client.end()
  return rows as Row[]
}

/** All that a process says, and how to wait until it has said something. */
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

/** As a browser does it: order, follow to the page, fill in its form. */
export async function buy({ origin }: Pick<Shop, 'origin'>, item: string) {
  const form = (fields: Record<string, string>) =>
    ({ method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' }) as const
  const ordered = await fetch(`${origin}/orders`, form({ item }))
  expect(ordered.status).toBe(303)
  const page_url = ordered.headers.get('location') ?? ''
  const page = await (await fetch(page_url)).text()
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  const card = { method: 'card', token: 'tok_test_visa', name: 'Ada Lovelace', postal_code: '94107' }
  const paid = await fetch(page_url, form({ ...card, key: field('key'), amount: field('amount') }))
  expect(paid.status).toBe(303)
  const receipt = await (await fetch(new URL(paid.headers.get('location') ?? '', page_url))).text()
  const [, order_url = ''] = /href="([^"]*\/orders\/[^"]*)"/.exec(receipt) ?? []
  return { page_url, order_url }
}

function temporaryFolder(): string {
  const home = mkdtempSync(join(tmpdir(), 'quittance-shop-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}
