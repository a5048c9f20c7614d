import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Caller, createIds, type Engine } from '@quittance/core'
import { sqliteStore } from '@quittance/store-sqlite'
import Database from 'better-sqlite3'
import { elapsed, median, type Row } from './report.ts'
import { withFolder } from './scratch.ts'
import { must, openShop } from './shop.ts'

const invoices = 1_000_000
const customers = 1_000

/** A page of invoices at the depth of a million against the first page, for every filter. */
export function lists(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const filename = join(folder, 'lists.db')
    const { engine, scope } = await openShop(sqliteStore({ filename }))
    const ids = fill(filename, scope.workspace)
    const caller = await engine.caller(scope)
    const rows: Row[] = []
    const filters: Record<string, Partial<{ status: 'open'; customer: string; number: string }>> = {
      'no filter': {},
      'status=open': { status: 'open' },
      customer: { customer: ids.customer },
      number: { number: 'INV-7' },
    }
    for (const [name, filter] of Object.entries(filters)) {
      const after = ids.deep[name] ?? ''
      const { first_us, deep_us } = await compare(engine, { caller, filter, after })
      rows.push({ what: `${name}: first page of 20`, figure: `${first_us.toFixed(0)} us` })
      rows.push({
        what: `${name}: the deepest page`,
        figure: `${deep_us.toFixed(0)} us`,
        ratio: deep_us / first_us,
        goal: { at_most: 1.2 },
      })
    }
    await engine.close()
    return rows
  })
}

async function compare(
  engine: Engine,
  { caller, filter, after }: { caller: Caller; filter: object; after: string },
) {
  const page = (query: object) => async () =>
    must(await engine.invoices.list(caller, { ...filter, ...query }))
  const first = page({})
  const deep = page({ starting_after: after })
  const first_us: number[] = []
  const deep_us: number[] = []
  for (let round = 0; round < 600; round += 1) {
    first_us.push((await elapsed(first)) * 1000)
    deep_us.push((await elapsed(deep)) * 1000)
  }
  return { first_us: median(first_us.slice(100)), deep_us: median(deep_us.slice(100)) }
}

/** A million invoices, straight into the table. Returns a customer and, per filter, a cursor 30 rows before the end. */
function fill(filename: string, workspace: string) {
  const db = new Database(filename)
  db.pragma('synchronous = OFF')
  const insert = db.prepare(`
    INSERT INTO quittance_invoices (id, number, external_id, customer, status, currency, total, amount_paid, amount_pending,
      invoice_date, due_date, livemode, created_at, workspace, listed, written_off, links, changed_at,
      paid_here)
    VALUES (?, ?, ?, ?, ?, 'USD', 1000, 0, 0, '2026-01-01', '2026-01-31', 0, ?, ?, 1, 0, '[]', ?, 0)`)
  const { uuid } = createIds()
  const who = Array.from({ length: customers }, () => randomUUID())
  const deep: Record<string, string> = {}
  const seen: Record<string, number> = {}
  const start_ms = Date.UTC(2020, 0, 1)
  const note = (name: string, id: string) => {
    seen[name] = (seen[name] ?? 0) + 1
    if (seen[name] === 30) deep[name] = id
  }
  db.transaction(() => {
    for (let index = 0; index < invoices; index += 1) {
      const at_ms = start_ms + index * 60_000
      const at = new Date(at_ms).toISOString()
      const id = uuid(at_ms)
      const customer = who[index % customers] ?? ''
      const status = index % 4 === 0 ? 'open' : 'paid'
      const number = `INV-${index % 500}`
      insert.run(id, number, `ERP-${index}`, customer, status, at, workspace, at)
      note('no filter', id)
      if (status === 'open') note('status=open', id)
      if (customer === who[0]) note('customer', id)
      if (number === 'INV-7') note('number', id)
    }
  })()
  db.close()
  return { customer: who[0] ?? '', deep }
}
