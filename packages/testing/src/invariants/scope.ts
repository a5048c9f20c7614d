import type { Moment, Report } from './moment.ts'
import type { Rows } from './rows.ts'

/** The fields that hold money, with the least that each may be. */
const least_of = new Map([
  ['amount', 1],
  ['authorized_amount', 1],
  ['amount_refunded', 0],
  ['total', 0],
  ['amount_due', 0],
  ['amount_paid', 0],
  ['amount_pending', 0],
])

/** M47, M48: rows name only their own workspace and environment, and money is whole numbers everywhere. */
export function checkScope({ rows, charges }: Moment, report: Report): void {
  const scopes = new Set<string>()
  for (const table of Object.values(rows) as Rows[keyof Rows][]) {
    for (const row of table) {
      scopes.add(`${row.workspace} ${row.livemode}`)
      checkMode(row, report)
      checkAmounts(row, row.id, report)
    }
  }
  if (scopes.size > 1) report('M47', `rows of several scopes were read as one: ${[...scopes]}`)
  for (const event of rows.events) checkAmounts(JSON.parse(event.body), event.id, report)
  for (const { key, amount } of charges) checkAmounts({ amount }, key, report)
}

function checkMode(row: { id: string; livemode: boolean }, report: Report): void {
  const mode = /^[a-z]+_(test|live)_/.exec(row.id)?.[1]
  if (mode !== undefined && (mode === 'live') !== row.livemode) {
    report('M47', `${row.id} is kept in the other environment`)
  }
}

function checkAmounts(value: unknown, where: string, report: Report): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'metadata') continue
    const least = least_of.get(name)
    const fits = least === undefined || (Number.isSafeInteger(inner) && Number(inner) >= least)
    if (!fits && inner !== null) report('M48', `${where}: ${name} is ${JSON.stringify(inner)}`)
    checkAmounts(inner, where, report)
  }
}
