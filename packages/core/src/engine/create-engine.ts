import { backOfficeFunctions } from '../back-office/back-office.ts'
import { systemClock } from '../ports/clock.ts'
import type { Scope } from '../ports/store.ts'
import { iso } from '../schema/timestamps.ts'
import { addTo } from './add-to.ts'
import { createAdmin } from './admin.ts'
import { createApi } from './api.ts'
import { checkOptions, default_brand } from './check-options.ts'
import { closing } from './closing.ts'
import { createDeliveries } from './deliveries.ts'
import type { Engine } from './engine.ts'
import type { EngineOptions } from './engine-options.ts'
import { createPages } from './pages.ts'
import { rateLimitOf } from './rate-limit.ts'
import { reconcile } from './reconcile/reconcile.ts'
import { authenticate } from './request/authenticate.ts'
import { callerOf, checkedScope } from './request/caller.ts'
import { execute } from './request/execute.ts'
import { reseal } from './reseal.ts'
import type { Worker } from './sandbox/advance-clock.ts'
import { followClock, movableClock } from './sandbox/movable-clock.ts'
import { createTestHelpers } from './sandbox/test-helpers.ts'
import { withSharedClock } from './sandbox/with-shared-clock.ts'
import { servicesOf } from './services.ts'
import type { Book } from './unit-of-work/booked-slots.ts'
import { unitsOf } from './unit-of-work/unit-of-work.ts'
import { verify } from './verify/verify.ts'
import { joinTransaction } from './with-transaction.ts'

/**
 * Makes an engine from its ports. Opens and starts nothing: call `migrate()` before the first request, and run a reconciler
 * and a dispatcher. Throws a `TypeError` for a wrong option.
 */
export function createEngine(options: EngineOptions): Engine {
  checkOptions(options)
  const { opened, ...ending } = closing(options.store)
  const clock = movableClock(options.clock ?? systemClock)
  const [wakers, bookers, workers] = [new Set<() => void>(), new Set<Book>(), new Set<Worker>()]
  const services = servicesOf(options, { ...opened, clock, bookers, wake: () => callAll(wakers) })
  const { store, ids, logger, secrets } = services
  const units = (scope: Scope) => unitsOf(services, checkedScope(scope))
  const api = createApi(services)
  const sandbox = options.testHelpers ? createTestHelpers(services, { clock, workers, api }) : null
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
    async migrate() {
      await store.migrate()
      // Also without test helpers: time must not fall back behind the records.
      await followClock(services, clock)
    },
    withTransaction: (native) => joinTransaction(services, native),
    caller: (scope) => callerOf(store, scope),
    authenticate: (authorization, origin) => authenticate(services, authorization, origin),
    isClientSecret: (session_id, candidate) => secrets.isClientSecret(session_id, candidate),
    execute: (request) => execute(services, request, sandbox?.operations.get(request.operation)),
    reconcile: (options) => reconcile(services, options),
    nextDueAt: async () => (await store.nextDue(null)).row,
    verify: (request) => verify({ store, now: iso(clock.now()), secrets }, request),
    reseal: () => reseal(services),
    addWorker: (worker) => addTo(workers, worker),
    ...ending,
  }
  return options.testHelpers ? withSharedClock(engine, services, clock) : engine
}

function callAll(listeners: Iterable<() => void>): void {
  for (const listener of listeners) listener()
}
