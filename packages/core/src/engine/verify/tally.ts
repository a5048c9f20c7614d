import type { PaymentRow } from '../../payments/payment.ts'
import type { Reads, ReadTable, Scope, Store } from '../../ports/store.ts'
import { day_ms, shifted } from '../../schema/timestamps.ts'
import type { Around, Check, KeyOf, Related } from './check.ts'
import { turnOfTheLoop } from './turn.ts'

type Relations = Pick<Around, Related>

interface Tallying {
  store: Store
  scope: Scope
  check: Check
}

interface Slice {
  after: string | undefined
  page_rows: number
  slice_rows: number
}

/**
 * What is related to the next `slice_rows` rows of a table, gathered in one walk over events, payments or keys, because
 * none has an index for finding it from one row. Writers run during the walk, so it is not exact: a row that seems
 * broken is read again.
 */
export async function tallied(
  { store, scope, check }: Tallying,
  slice: Slice,
): Promise<{ pages: number; related: Relations }> {
  const { page_rows, slice_rows } = slice
  const none = { announced: async () => [], paymentsOn: async () => [], keysOf: async () => [] }
  if (check.related.length === 0) return { pages: slice_rows / page_rows, related: none }
  return await store.read(scope, async (rows) => {
    const { pages, ids, since } = await boundsOf(rows, check, slice)
    if (ids.size === 0) return { pages, related: none }
    const types = gatheredFor<string>(ids)
    const payments = gatheredFor<PaymentRow>(ids)
    const keys = gatheredFor<KeyOf>(ids)
    if (check.related.includes('announced'))
      await walk(rows.events, { since, page_rows }, ({ subject, type }) => types.add(subject, type))
    if (check.related.includes('paymentsOn'))
      await walk(rows.payments, { since, page_rows }, (payment) =>
        payments.add(payment[columnOf(check)], payment),
      )
    // Without `since`: keys are not in the order of time.
    if (check.related.includes('keysOf'))
      await walk(rows.idempotency_keys, { page_rows }, ({ intent, id, operation }) =>
        keys.add(intent, { id, operation }),
      )
    return { pages, related: { announced: types.of, paymentsOn: payments.of, keysOf: keys.of } }
  })
}

/** What a walk meets for each of these ids, the last first. */
function gatheredFor<Value>(ids: ReadonlySet<string>) {
  const gathered = new Map<string, Value[]>()
  return {
    add(id: string | null, value: Value) {
      if (id === null || !ids.has(id)) return
      const values = gathered.get(id) ?? []
      values.push(value)
      gathered.set(id, values)
    },
    of: async (id: string) => gathered.get(id)?.toReversed() ?? [],
  }
}

/** The same for one row, read from the database: slow but exact. */
export function exactly(rows: Reads, check: Check, page_rows: number): Relations {
  const oldestFirst = async <Row extends Walkable>(table: ReadTable<Row>, where: Partial<Row>) => {
    const found: Row[] = []
    await walk(table, { where, page_rows }, (row) => found.push(row))
    return found.reverse()
  }
  return {
    announced: async (subject) => (await oldestFirst(rows.events, { subject })).map(({ type }) => type),
    paymentsOn: (id) => oldestFirst(rows.payments, { [columnOf(check)]: id }),
    keysOf: (intent) => oldestFirst(rows.idempotency_keys, { intent }),
  }
}

/** The columns by which a payment names a row of another table. */
const paid = {
  invoices: 'invoice',
  payment_methods: 'payment_method',
  checkout_sessions: 'checkout_session',
} as const

function columnOf({ table }: Check): (typeof paid)[keyof typeof paid] {
  if (table in paid) return paid[table as keyof typeof paid]
  throw new Error(`No payment names a row of ${table}.`)
}

/** If the clock went back, events and payments may carry an earlier time than the row they belong to. */
const slack_ms = day_ms

/** The columns by which rows of some tables bound the walk. */
interface Bounding {
  id: string
  created_at?: string
  usage?: string
  intent?: string | null
}

async function boundsOf(rows: Reads, { table }: Check, { after, page_rows, slice_rows }: Slice) {
  let pages = 0
  const ids = new Set<string>()
  let last = after
  let since: string | undefined
  while (pages < slice_rows / page_rows) {
    const page: Bounding[] = await rows[table].page({ where: {}, after: last, limit: page_rows })
    await turnOfTheLoop()
    pages += 1
    last = page.at(-1)?.id ?? last
    for (const { id, created_at, usage, intent } of page) {
      // No rule needs a saved method's payments, and there can be any number of them.
      if (usage === 'saved') continue
      ids.add(intent ?? id)
      // The stored text may not be a time.
      if (created_at === undefined || Number.isNaN(Date.parse(created_at))) continue
      if (since === undefined || created_at < since) since = created_at
    }
    if (page.length < page_rows) break
  }
  return { pages, ids, since: since && shifted(since, -slack_ms) }
}

interface Walked<Row> {
  where?: Partial<Row>
  /** The walk ends at the first page with older rows. */
  since?: string | undefined
  page_rows: number
}

type Walkable = { id: string; created_at: string }

/** Newest first. */
async function walk<Row extends Walkable>(
  table: ReadTable<Row>,
  { where = {}, since, page_rows }: Walked<Row>,
  visit: (row: Row) => void,
): Promise<void> {
  let after: string | undefined
  for (;;) {
    await turnOfTheLoop()
    const page = await table.page({ where, after, limit: page_rows })
    for (const row of page) visit(row)
    const oldest = page.at(-1)
    if (oldest === undefined || page.length < page_rows) return
    if (since !== undefined && oldest.created_at < since) return
    after = oldest.id
  }
}
