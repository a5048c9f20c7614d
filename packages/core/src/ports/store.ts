import type { DomainError } from '../errors/domain-error.ts'
import type { Result } from '../kernel/result.ts'
import type { TableName, Tables } from './tables.ts'

/**
 * The storage port. Whatever the engine keeps is a row of one of the tables in `tables.ts`; a store keeps
 * rows, their unique constraints and their order, and knows nothing of money. `describeStore` in the testing
 * package checks every sentence on this page: a store is done when it passes.
 *
 * A row comes out as it went in: texts to the last character, objects with their keys in the same order. Only the same
 * text is equal: `a`, `A` and `a ` with a space are three ids. Ids and the names of tables are in the order of their
 * bytes: `Z`, `_`, `a`; beyond ASCII, ids may be in any order that stays the same. A text in an id, a unique constraint
 * or a filter has at most 500 characters, any other may have hundreds of thousands. Times count to the millisecond. What
 * callers do to objects they gave or got, from the call on, changes no row.
 */
export interface Store {
  /**
   * One unit of work, bound to one workspace and environment: rows of any other can be neither seen nor written, and a
   * write that is given one throws.
   *
   * - Kept: durable when it resolves to Ok, and in sight of every other process; others see all that it wrote, or nothing.
   * - Undone: without effect when `work` gives Err or throws. `work` must do so once a call of it has rejected; what becomes of
   *   an Ok after that is up to the store.
   * - Locks: of two units that lock the same row, the later one reads after its lock all that the earlier committed,
   *   whatever it had read before.
   * - Again: the store may run `work` again, with nothing left of the first run. Where the answer to a COMMIT is lost, it
   *   finds out first what became of it, or throws.
   * - Over: once the unit has ended, every call of its `tx` throws or rejects, and `native` throws.
   */
  transaction<Value, Refusal = DomainError>(
    scope: Scope,
    work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>>

  /**
   * Units of work and reads inside a transaction that the host has opened and will end itself, on the handle
   * `native`. The caller runs them one after another, or nested by joining `tx.native`, never concurrently.
   *
   * - They see what the host has written there; others see what they write once the host has committed.
   * - A unit that gives Err or throws is undone alone; the rest of the transaction stays.
   * - `work` runs once, or again if another unit took a unique constraint before its `insert`. Its `tx.native` is `native`.
   * - Throws if the store cannot join this handle; a unit or a read rejects if no transaction is open on it, or one in
   *   another database.
   */
  join(native: unknown): JoinedStore

  /**
   * Reads committed rows of one scope. Should wait for no writer, so that pages load while a host's transaction is open; a
   * store with a single connection may. Sees every transaction that resolved before the call; two reads in one `work` may see
   * different states. Rejects with what `work` throws.
   */
  read<Value>(scope: Scope, work: (rows: Reads) => PromiseLike<Value>): Promise<Value>

  /**
   * The API key with this SHA-256 (hex) in any scope, and its workspace; nothing where either is missing. This is how a request
   * finds its scope. The row of a workspace is in its sandbox's scope, also for keys of the live environment.
   */
  findApiKey(hash: string): Promise<{ key: Tables['api_keys']; workspace: Tables['workspaces'] } | undefined>

  /** Ids of the workspaces in this store, ascending, only those above `after`: for work that visits all of them. */
  workspaces(request: { after?: string | undefined; limit: number }): Promise<string[]>

  /**
   * Rows of all scopes, of every table with a `due_at`, that are due at or before `at`, earliest first; those of the same time
   * by table, livemode, workspace and id. With `after`, only the rows behind that one in this order, whether it is still due or
   * not.
   */
  due(request: DueRequest): Promise<DueRow[]>

  /**
   * The earliest `due_at` of all rows, and the earliest `next_attempt_at` of all pending deliveries; with `after`, the earliest
   * of those later than it.
   */
  nextDue(after: string | null): Promise<{ row: string | null; delivery: string | null }>

  /**
   * Leases pending deliveries that are due and not leased: `lease_until` is set, `lease` raised by one (the fencing token).
   * A lease lives as long as `real_at` is before its `lease_until`; what is no longer pending has none. Leases in `ended`
   * live, but count for nothing here: not for places, nor for turns, nor for which endpoints are idle. A delivery whose
   * endpoint or event is missing is not taken, but may stand before others in its turn.
   *
   * - Places: no workspace has more than `per_workspace` live leases, over all processes.
   * - Turns: endpoints with the fewest live leases come first, in whatever workspace. Among those, and among the deliveries
   *   of one endpoint, what has been due longest comes first, whenever it was created; at the same time, of one endpoint,
   *   the lowest id.
   * - Reserve: each idle endpoint keeps a place of its workspace, up to `reserved` places in all.
   * - Endpoints in the result are read at this moment.
   * - Waits for other claims: an empty result means that nothing can be taken at this moment.
   * - Ahead: for each delivery taken of an endpoint in `ahead`, also leases the next ones due there, up to `rounds`. They
   *   come last, as the turns go on, wait for the places of those taken, and count towards no limit here; to other claims
   *   they are live leases.
   */
  claimDeliveries(request: ClaimRequest): Promise<ClaimedDelivery[]>

  /**
   * Tells other processes that deliveries were committed, if the store can: soon, and at least once for all that were
   * committed meanwhile. Returns at once, and does nothing once the store is closed.
   */
  announceDeliveries(): void

  /**
   * Calls `wake` soon after another process has announced deliveries, and whenever announcements may have been missed,
   * until the returned function is called. Some may be missed all the same, and a store that cannot hear others never
   * calls it, so a caller also has to poll.
   */
  onDeliveriesElsewhere(wake: () => void): () => void

  /** Creates or updates the schema; safe in several processes at once, and harmless when repeated. */
  migrate(): Promise<void>
  readonly migrations: {
    /** Names of the migrations that `migrate` would run. */
    pending(): Promise<string[]>
    /** The SQL of all migrations, for teams that run it on an empty database. Empty if they are not SQL. */
    sql(): string
  }

  /**
   * Closes what the store itself opened, and nothing the host handed in, once every unit of work has ended, also those that
   * wait. A second call does nothing. The engine calls nothing else after it.
   */
  close(): Promise<void>
}

export type JoinedStore = Pick<Store, 'transaction' | 'read'>

/** A workspace in one of its environments: nothing is read or written across scopes. */
export interface Scope {
  workspace: string
  livemode: boolean
}

export type Reads = { readonly [Name in TableName]: ReadTable<Tables[Name]> }

/** Calls that are not awaited one by one take effect in their order, but none follows `leaseDeliveries` until it has ended. */
export type Transaction = { readonly [Name in TableName]: WriteTable<Tables[Name]> } & {
  /**
   * The store's own handle of this transaction, with which the host's listeners write in it and join it. Read anew for each
   * listener.
   */
  readonly native: unknown
  /**
   * Locks the whole scope until the transaction ends: any number may hold it shared, or one exclusive. A read that is requested
   * after this call, even before it resolves, sees what the holders it waited for have committed. Exclusive, it waits for
   * claims in its workspace, and they wait for it: no claim returns an endpoint as it was before. A store whose transactions
   * and claims run one after another has nothing to do.
   */
  lockScope(mode: ScopeLock): PromiseLike<void>
  /**
   * Leases deliveries that this unit has written, as a claim would: all of them, or none, and returns whether it did. None if
   * the workspace would have more than `per_workspace` live leases over all processes, or if somebody else is leasing in it at
   * this moment: it never waits. Nothing else is leased there until the transaction ends.
   */
  leaseDeliveries(request: LeaseRequest): PromiseLike<boolean>
}

export type ScopeLock = 'shared' | 'exclusive'

/** Reads of one table, in one scope. */
export interface ReadTable<Row> {
  get(id: string): PromiseLike<Row | undefined>
  /**
   * Rows that equal `where` in every column it names, highest id first, only ids below `after`. It may name any column that
   * holds no object; `tables.ts` says which of them need an index.
   */
  page(request: Page<Row>): PromiseLike<Row[]>
}

export interface Page<Row> {
  where: Partial<Row>
  after?: string | undefined
  limit: number
}

/** Reads and writes of one table, in one unit of work and one scope. */
export interface WriteTable<Row> extends ReadTable<Row> {
  /** Like `get`; until the transaction ends, no other transaction can lock or change this row. */
  lock(id: string): PromiseLike<Row | undefined>
  /**
   * Throws if a unique constraint is already taken. If another unit has taken it since this one began, this one is run
   * again instead.
   */
  insert(row: Row): PromiseLike<void>
  /** False, and nothing written, if a unique constraint is already taken. */
  insertNew(row: Row): PromiseLike<boolean>
  /** Replaces the row with this id. Throws, naming the id, if there is none; and if a unique constraint is already taken. */
  update(row: Row): PromiseLike<void>
  /** Does nothing if there is no row with this id. */
  delete(id: string): PromiseLike<void>
}

export interface DueRequest {
  at: string
  after: DueRow | null
  limit: number
}

export interface DueRow extends Scope {
  table: TableName
  id: string
  due_at: string
}

export interface ClaimRequest {
  /** Engine time: a delivery is due when its `next_attempt_at` is at or before it. */
  at: string
  /** Real time: leases are between processes, and a sandbox clock that was moved must not affect them. */
  real_at: string
  lease_until: string
  limit: number
  per_workspace: number
  /**
   * How many of those places only an endpoint's first live lease may take, as long as that many endpoints of the workspace are
   * idle: enabled, without a live lease, and with nothing that could be claimed.
   */
  reserved: number
  /** Leases whose attempts are over and only wait to be recorded: they are still live, but take no place. */
  ended: readonly Lease[]
  /** Endpoints whose attempts are so quick that more of their deliveries may be leased at once than have a place. */
  ahead: readonly LeaseAhead[]
}

export interface LeaseAhead extends Scope {
  endpoint: string
  /** A positive integer: how many more deliveries for each one that is taken. */
  rounds: number
}

/** The ids of the deliveries, and a lease as in a claim. */
export interface LeaseRequest extends Pick<ClaimRequest, 'real_at' | 'lease_until' | 'per_workspace'> {
  ids: readonly string[]
}

/** Who may record an attempt of a delivery: whoever holds its fencing token. */
export type Lease = Pick<Tables['deliveries'], 'workspace' | 'livemode' | 'id' | 'lease'>

export interface ClaimedDelivery {
  delivery: Tables['deliveries']
  endpoint: Tables['webhook_endpoints']
  /** The event's bytes, exactly as every attempt sends them. */
  body: string
  /** It waits for the place of another delivery of its endpoint. */
  ahead: boolean
}
