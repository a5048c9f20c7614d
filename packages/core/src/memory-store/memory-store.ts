import type { Result } from '../kernel/result.ts'
import { perTable, type StoredRow } from '../ports/per-table.ts'
import type { ClaimedDelivery, ClaimRequest, Reads, Scope, Store, Transaction } from '../ports/store.ts'
import type { TableName, Tables } from '../ports/tables.ts'
import { MemoryRows } from './memory-rows.ts'
import { copyRow, type PageRequest } from './memory-table.ts'
import { MemoryTransaction } from './memory-transaction.ts'

/** Rows in this process's memory, gone with it. Transactions run one after another. */
export function memoryStore(): Store {
  const rows = new MemoryRows()
  const inTurn = oneAfterAnother()
  return {
    transaction: (scope, work) => inTurn(() => runUnit(rows, scope, work)),
    join() {
      throw new Error(
        'The memory store keeps its rows in no database: no transaction of a host can be joined.',
      )
    },
    read: async (scope, work) => work(committedReads(rows, scope)),
    findApiKey: async (hash) => findApiKey(rows, hash),
    workspaces: async ({ after = '', limit }) =>
      rows
        .workspaces()
        .filter((id) => id > after)
        .sort()
        .slice(0, limit),
    due: async (request) => rows.dueRows(request),
    nextDue: async (after) => ({ row: rows.due.next(after), delivery: rows.deliveries.next(after) }),
    claimDeliveries: (request) => inTurn(async () => claim(rows, request)),
    // No other process sees these rows.
    announceDeliveries() {},
    onDeliveriesElsewhere: () => () => {},
    migrate: async () => {},
    migrations: { pending: async () => [], sql: () => '' },
    close: () => inTurn(async () => {}),
  }
}

async function runUnit<Value, Refusal>(
  rows: MemoryRows,
  scope: Scope,
  work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal>> {
  const transaction = new MemoryTransaction(rows, scope)
  try {
    const result = await work(perTable((name) => transaction.table(name), transaction))
    if (result.isOk()) transaction.commit()
    return result
  } finally {
    transaction.open = false
  }
}

/** Committed rows of one scope. */
function committedReads(rows: MemoryRows, scope: Scope): Reads {
  return perTable((name) => {
    const table = rows.table(name, scope)
    return {
      async get(id) {
        const row = table.rows.get(id)
        return row && copyRow(row)
      },
      page: async (request) => table.page(request).map(copyRow),
    }
  })
}

function findApiKey(rows: MemoryRows, hash: string): Awaited<ReturnType<Store['findApiKey']>> {
  const found = rows.globalHolder(`api_keys.hash=${hash}`)
  if (found === undefined) return undefined
  const key = rowOf(rows, 'api_keys', found, found.id)
  const workspace = rowOf(
    rows,
    'workspaces',
    { workspace: found.workspace, livemode: false },
    found.workspace,
  )
  return key && workspace && { key, workspace }
}

function claim(rows: MemoryRows, request: ClaimRequest): ClaimedDelivery[] {
  const enabled: PageRequest = { where: { listed: true, status: 'enabled' }, limit: Number.POSITIVE_INFINITY }
  const enabledOf = (workspace: string) =>
    [false, true].flatMap((livemode) =>
      rows.table('webhook_endpoints', { workspace, livemode }).page(enabled),
    )
  return rows.deliveries.choose(request, enabledOf).flatMap(({ row: pending, ahead }) => {
    const endpoint = rowOf(rows, 'webhook_endpoints', pending, pending.endpoint)
    const event = rowOf(rows, 'events', pending, pending.event)
    if (endpoint === undefined || event === undefined) return []
    const delivery = { ...pending, lease: pending.lease + 1, lease_until: request.lease_until }
    rows.put(rows.table('deliveries', delivery), delivery)
    return [{ delivery: { ...delivery }, endpoint, body: event.body, ahead }]
  })
}

function rowOf<Name extends TableName>(
  rows: MemoryRows,
  name: Name,
  { workspace, livemode }: Scope,
  id: string,
): Tables[Name] | undefined {
  const row: StoredRow | undefined = rows.get({ table: name, workspace, livemode, id })
  return row && (copyRow(row) as unknown as Tables[Name])
}

/** Runs what it is given one at a time, in the order of the calls. */
function oneAfterAnother() {
  let last: Promise<unknown> = Promise.resolve()
  return <Value>(run: () => Promise<Value>): Promise<Value> => {
    const next = last.then(run, run)
    // A fault goes to its own caller only. The next run starts all the same, and neither value nor fault is kept alive.
    last = next.then(nothing, nothing)
    return next
  }
}

function nothing(): void {}
