import type { BackOffice } from '../back-office/back-office.ts'
import type { Caller } from '../kernel/operation.ts'
import type { Clock } from '../ports/clock.ts'
import type { Connector } from '../ports/connector.ts'
import type { Ids } from '../ports/ids.ts'
import type { Logger } from '../ports/logger.ts'
import type { Notifier } from '../ports/notifier.ts'
import type { Processor } from '../ports/processor.ts'
import type { Scope, Store } from '../ports/store.ts'
import type { Admin } from './admin.ts'
import type { Api } from './api.ts'
import type { Deliveries } from './deliveries.ts'
import type { HostedPages } from './pages.ts'
import type { RateLimit } from './rate-limit.ts'
import type { ReconcileOptions } from './reconcile/reconcile.ts'
import type { Answer } from './request/answer.ts'
import type { authenticate } from './request/authenticate.ts'
import type { OperationRequest } from './request/request.ts'
import type { Resealed } from './reseal.ts'
import type { Worker } from './sandbox/advance-clock.ts'
import type { TestHelpers } from './sandbox/test-helpers.ts'
import type { Listeners } from './services.ts'
import type { InvariantReport, VerifyRequest } from './verify/verify.ts'
import type { JoinedEngine } from './with-transaction.ts'

export interface EngineOptions {
  /** Where the rows are. Closed with the engine. */
  store: Store
  /**
   * At least 32 bytes, kept by the host. Client secrets and the addresses of hosted pages derive from it, and the key
   * that seals webhook secrets, ledger tokens, integrations' configurations and the answers stored under keys. Of
   * several the first makes all that is new, and the others still open what they have made (docs/operating.md).
   */
  secret: string | Uint8Array | readonly (string | Uint8Array)[]
  /** Who is asked for money, by environment. One that has none refuses with `payment_provider_not_configured`. */
  processors: { sandbox?: Processor; live?: Processor }
  /** Where payers reach this engine. Absolute URLs are built from it, never from a request's Host. */
  publicUrl: string
  /** Default: the system's. */
  clock?: Clock
  /** Where ids, keys and secrets come from. Default: random. */
  ids?: Ids
  /** Told of faults. Default: none, and nobody hears of them. */
  logger?: Logger
  /** Notices that it does not implement are dropped. */
  notifier?: Partial<Notifier>
  /** Notifies also of the pause of an endpoint that an API key registered. Off by default. */
  notifyOfKeyEndpoints?: boolean
  /** What reads the ledgers of connections, by kind. Onboarded connections are of the kind `ledger`. */
  connectors?: Readonly<Record<string, Connector>>
  /** The `Service` in `Service-Signature`, `Service-Event-Id` and the webhook sender's `User-Agent`. */
  brand?: string
  /** How many requests a transport lets through, in place of the defaults; false: all of them. */
  rateLimit?: false | Partial<RateLimit>
  /** How long an answered Idempotency-Key is remembered: 72 hours by default, at least 24, at most ten years. */
  idempotencyRetentionHours?: number
  /** Accepts `http` and private hosts as webhook destinations. For development. */
  allowInsecureDestinations?: boolean
  /**
   * Opens the sandbox's test helpers. For development only: their clock is that of the whole engine, so moving it
   * moves the live environment's time too.
   */
  testHelpers?: boolean
  /** The host's listeners, called inside the transaction that files the event. */
  on?: Listeners
}

/** The engine. Nothing starts by itself: the host migrates, reconciles and dispatches, or lets a worker do so. */
export interface Engine extends Api {
  /** What a dashboard of the host does (docs/admin.md). */
  readonly admin: Admin
  /** The back office's endpoints as functions, and `connect` (docs/back-office.md). */
  readonly backOffice: BackOffice
  /** What a dispatcher is made of; `startDispatcher` of `@quittance/webhooks` is one. */
  readonly deliveries: Deliveries
  /** What payers see and do on hosted pages. */
  readonly pages: HostedPages
  /** Null unless the engine was made with `testHelpers` (docs/sandbox.md). */
  readonly testHelpers: TestHelpers | null
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly brand: string
  readonly rateLimit: RateLimit | false
  readonly allowInsecureDestinations: boolean
  /** Without a trailing slash. */
  readonly publicUrl: string
  /** For hosts that migrate by other means: what is pending, and all of it as SQL for an empty database. */
  readonly migrations: Store['migrations']
  /** Brings the database up to date. Any number of processes may do so at once. */
  migrate(): Promise<void>
  /**
   * Joins a transaction that the host has opened: a kysely transaction, or the handle that the store works with. What
   * is done through the returned engine commits or rolls back with the host's own rows. It never asks the processor.
   */
  withTransaction(native: unknown): JoinedEngine
  /**
   * A caller with all that a secret key may do in one scope, for calling operations without HTTP. It knows the
   * workspace's switches as they are now: whether refunds are switched off is seen by a caller asked for later.
   */
  caller(scope: Scope): Promise<Caller>
  /**
   * Who a request is from, by its `Authorization` header: refused with `api_key_missing` or `invalid_api_key`
   * (specification: Authentication).
   */
  authenticate(
    authorization: string | undefined,
    origin: Pick<Caller, 'ip_address' | 'user_agent'>,
  ): ReturnType<typeof authenticate>
  /** Whether `candidate` is the client secret of this session, which opens the browser endpoints. */
  isClientSecret(session_id: string, candidate: string): boolean
  /**
   * Runs one operation or test helper for a transport: the checks of a request from the scope on, its idempotency, and the
   * rendered answer.
   */
  execute(request: OperationRequest): Promise<Answer>
  /** One pass of everything time-driven; safe in many processes at once. */
  reconcile(options?: ReconcileOptions): Promise<void>
  /**
   * Checks the invariants on the rows of one workspace and environment, or of all, and reports each row that breaks
   * one (docs/verifying.md). Reads only; slow, but safe while the engine is running.
   */
  verify(request?: VerifyRequest): Promise<InvariantReport>
  /**
   * Seals again, with the first `secret`, what is stored sealed with a former one, and says of how many rows. Safe while
   * the engine is running, and in many processes at once.
   */
  reseal(): Promise<Resealed>
  /** Lets the test clock drive a dispatcher, until the returned function is called. */
  addWorker(worker: Worker): () => void
  /**
   * Closes the store it was given, and with it the connections that the store has opened; a pool or database of the
   * host stays open. Before, it waits for the answers of processors and records them; whatever is asked of the engine
   * afterwards rejects. Dispatchers and reconcilers are stopped before: they would meet a closed store.
   */
  close(): Promise<void>
  /** Whether `close` was called: a fault of the store is one for good then. */
  isClosed(): boolean
}
