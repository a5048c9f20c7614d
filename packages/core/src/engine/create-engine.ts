import { backOfficeFunctions } from '../back-office/back-office.ts'
import { createSecrets } from '../kernel/secrets.ts'
import { type Clock, systemClock } from '../ports/clock.ts'
import { createIds } from '../ports/ids.ts'
import { type Logger, silentLogger } from '../ports/logger.ts'
import type { Scope } from '../ports/store.ts'
import { hour_ms, iso } from '../schema/timestamps.ts'
import { addTo } from './add-to.ts'
import { createAdmin } from './admin.ts'
import { createApi } from './api.ts'
import { checkOptions, default_brand, default_retention_hours } from './check-options.ts'
import { closing } from './closing.ts'
import { createDeliveries } from './deliveries.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { guardLogger } from './guarded-logger.ts'
import { guardNotifier } from './guarded-notifier.ts'
import { guardProcessor } from './guarded-processor.ts'
import { createPages } from './pages.ts'
import { rateLimitOf } from './rate-limit.ts'
import { reconcile } from './reconcile/reconcile.ts'
import { authenticate } from './request/authenticate.ts'
import { callerOf, checkedScope } from './request/caller.ts'
import { execute } from './request/execute.ts'
import { reseal } from './reseal.ts'
import type { Worker } from './sandbox/advance-clock.ts'
import { movableClock, sharingClock } from './sandbox/sandbox-clock.ts'
import { createTestHelpers } from './sandbox/test-helpers.ts'
import type { Services } from './services.ts'
import type { Book } from './unit-of-work/booking.ts'
import { unitsOf } from './unit-of-work/unit-of-work.ts'
import { verify } from './verify/verify.ts'
import { joinTransaction } from './with-transaction.ts'

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
    notifier: guardNotifier(options.notifier ?? {}, logger),
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
