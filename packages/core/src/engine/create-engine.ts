import { type BackOffice, backOfficeFunctions } from '../back-office/back-office.ts'
import { addTo } from '../kernel/add-to.ts'
import type { Caller } from '../kernel/operation.ts'
import { createSecrets } from '../kernel/secrets.ts'
import { type Clock, systemClock } from '../ports/clock.ts'
import type { Connector } from '../ports/connector.ts'
import { createIds, type Ids } from '../ports/ids.ts'
import { type Logger, silentLogger } from '../ports/logger.ts'
import { type Notices, noticesOf } from '../ports/notifier.ts'
import type { Processor } from '../ports/processor.ts'
import type { Scope, Store } from '../ports/store.ts'
import { hour_ms, iso } from '../schema/timestamps.ts'
import { type Admin, createAdmin } from './admin.ts'
import { type Api, createApi } from './api.ts'
import { checkOptions, default_brand, default_retention_hours } from './check-options.ts'
import { closing } from './closing.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { guardLogger } from './guarded-logger.ts'
import { guardProcessor } from './guarded-processor.ts'
import { createPages, type HostedPages } from './pages.ts'
import { type RateLimit, rateLimitOf } from './rate-limit.ts'
import { type ReconcileOptions, reconcile } from './reconcile/reconcile.ts'
import type { Answer } from './request/answer.ts'
import { authenticate, callerOf, checkedScope } from './request/authenticate.ts'
import { execute } from './request/execute.ts'
import type { OperationRequest } from './request/request.ts'
import { type Resealed, reseal } from './reseal.ts'
import type { Worker } from './sandbox/advance-clock.ts'
import { movableClock, sharingClock } from './sandbox/sandbox-clock.ts'
import { createTestHelpers, type TestHelpers } from './sandbox/test-helpers.ts'
import type { Listeners, Services } from './services.ts'
import type { Book } from './unit-of-work/outbox.ts'
import { unitsOf } from './unit-of-work/unit-of-work.ts'
import { type InvariantReport, type VerifyRequest, verify } from './verify/verify.ts'
import { type JoinedEngine, joinTransaction } from './with-transaction.ts'

export interface EngineOptions {
  /** Where the rows are. Closed with the engine. */
  store: Store
  /**
   * At least 32 bytes, kept by the host. Client secrets and the addresses of hosted pages derive from it, and the key
   * that seals webhook secrets, ledger tokens, integrations' configurations and the answers stored under keys. Of
   * several the first makes all that is new, and the others still open what they have made (docs/running-apart.md).
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
  notifier?: Partial<Notices>
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

/**
 * Makes an engine of its ports. Opens and starts nothing: call `migrate()` before the first request, and let a reconciler and
 * a dispatcher run. Throws a `TypeError` for an option that is wrong.
 */
export function createEngine(options: EngineOptions): Engine {
  checkOptions(options)
  const { ids = createIds(), testHelpers = false } = options
  const { opened, ...ending } = closing(options.store)
  const { store } = opened
  const logger = guardLogger(options.logger ?? silentLogger)
  const clock = movableClock(options.clock ?? systemClock)
  const [wakers, bookers, workers] = [new Set<() => void>(), new Set<Book>(), new Set<Worker>()]
  const services: Services = {
    ...opened,
    joined: false,
    clock,
    ids,
    secrets: createSecrets(options.secret, ids),
    logger,
    notifier: noticesOf(options.notifier),
    notify_of_key_endpoints: options.notifyOfKeyEndpoints ?? false,
    connectors: options.connectors ?? {},
    processors: guarded(options.processors, { clock, logger }),
    listeners: options.on ?? {},
    public_url: withoutEnd(new URL(options.publicUrl)),
    allow_insecure_destinations: options.allowInsecureDestinations ?? false,
    idempotency_retention_ms: (options.idempotencyRetentionHours ?? default_retention_hours) * hour_ms,
    running_helpers: new Map(),
    bookers,
    wake: () => callAll(wakers),
  }
  const units = (scope: Scope) => unitsOf(services, checkedScope(scope))
  const api = createApi(services)
  const sandbox = testHelpers ? createTestHelpers(services, { clock, workers, api }) : null
  const engine: Engine = {
    ...api,
    admin: createAdmin(services, api),
    backOffice: backOfficeFunctions({ ...services, unitsOf: units }),
    deliveries: createDeliveries(services, { wakers, bookers }),
    pages: createPages(services, api),
    testHelpers: sandbox?.testHelpers ?? null,
    clock,
    ids,
    logger,
    brand: options.brand ?? default_brand,
    rateLimit: rateLimitOf(options.rateLimit),
    allowInsecureDestinations: services.allow_insecure_destinations,
    publicUrl: services.public_url,
    migrations: store.migrations,
    migrate: () => store.migrate(),
    withTransaction: (native) => joinTransaction(services, native),
    caller: (scope) => callerOf(store, scope),
    authenticate: (authorization, origin) => authenticate(services, authorization, origin),
    isClientSecret: (session_id, candidate) => services.secrets.isClientSecret(session_id, candidate),
    execute: (request) => execute(services, request, sandbox?.operations.get(request.operation)),
    reconcile: (options) => reconcile(services, options),
    verify: (request) => verify({ store, now: iso(clock.now()), secrets: services.secrets }, request),
    reseal: () => reseal(services),
    addWorker: (worker) => addTo(workers, worker),
    ...ending,
  }
  return testHelpers ? sharingClock(engine, services, clock) : engine
}

function guarded({ sandbox, live }: EngineOptions['processors'], ports: { clock: Clock; logger: Logger }) {
  return {
    ...(sandbox ? { sandbox: guardProcessor(sandbox, ports) } : {}),
    ...(live ? { live: guardProcessor(live, ports) } : {}),
  }
}

function callAll(listeners: Iterable<() => void>): void {
  for (const listener of listeners) listener()
}

/** What the paths of pages are appended to. */
function withoutEnd({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '')
}
