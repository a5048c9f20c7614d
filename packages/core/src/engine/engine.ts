import type { BackOffice } from '../back-office/back-office.ts'
import type { Caller } from '../kernel/operation.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Logger } from '../ports/logger.ts'
import type { Scope, Store } from '../ports/store.ts'
import type { Admin } from './admin.ts'
import type { Api } from './api.ts'
import type { Deliveries } from './deliveries.ts'
import type { EnginePages } from './pages.ts'
import type { RateLimit } from './rate-limit.ts'
import type { ReconcileOptions } from './reconcile/reconcile.ts'
import type { Answer } from './request/answer.ts'
import type { authenticate } from './request/authenticate.ts'
import type { OperationRequest } from './request/request.ts'
import type { Resealed } from './reseal.ts'
import type { Worker } from './sandbox/advance-clock.ts'
import type { TestHelpers } from './sandbox/test-helpers.ts'
import type { InvariantReport, VerifyRequest } from './verify/verify.ts'
import type { JoinedEngine } from './with-transaction.ts'

/** The engine. Nothing starts by itself: the host migrates, reconciles and dispatches, or lets a worker do so. */
export interface Engine extends Api {
  /** What a dashboard of the host does (docs/admin.md). */
  readonly admin: Admin
  /** The back office's endpoints as functions, and `connect` (docs/back-office.md). */
  readonly backOffice: BackOffice
  /** What a dispatcher is made of; `startDispatcher` of `@quittance/webhooks` is one. */
  readonly deliveries: Deliveries
  /** What payers see and do on hosted pages. */
  readonly pages: EnginePages
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
  /** For hosts that migrate by other means: which migrations are pending, and all of them as SQL for an empty database. */
  readonly migrations: Store['migrations']
  /** Brings the database up to date. Any number of processes may do so at once. */
  migrate(): Promise<void>
  /**
   * Joins a transaction that the host has opened: a kysely transaction, or the handle that the store works with. What is
   * done through the returned engine commits or rolls back with the host's own rows. It never calls the processor.
   */
  withTransaction(native: unknown): JoinedEngine
  /**
   * A caller with all that a secret key may do in one scope, for calling operations without HTTP. It holds the workspace's
   * switches as they are now: only a caller that you get later sees that refunds were switched off. It is for engines on this
   * store: one on another would write for a workspace that it does not have.
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
   * When the next row falls due for `reconcile`, in engine time; null when none will. If that is long past, no reconciler
   * runs, or none can do what is due, which its log then says.
   */
  nextDueAt(): Promise<string | null>
  /**
   * Checks the invariants on the rows of one workspace and environment, or of all, and reports each row that breaks
   * one (docs/verifying.md). Reads only; slow, but safe while the engine is running.
   */
  verify(request?: VerifyRequest): Promise<InvariantReport>
  /**
   * Reseals with the first `secret` what is stored sealed with a former one, and returns how many rows it resealed. Safe
   * while the engine is running, and in many processes at once.
   */
  reseal(): Promise<Resealed>
  /** Lets the test clock drive a dispatcher, until the returned function is called. */
  addWorker(worker: Worker): () => void
  /**
   * Closes the engine's store, with the connections that the store has opened; a pool or database of the host stays open.
   * First it waits for the answers of processors and records them; later calls of the engine reject. Stop dispatchers and
   * reconcilers before: they would meet a closed store.
   */
  close(): Promise<void>
  /** Whether `close` was called: from then on faults of the store are permanent. */
  isClosed(): boolean
}
