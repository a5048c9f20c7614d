import type { DomainError } from '../errors/domain-error.ts'
import type { Event, EventType } from '../events/event.ts'
import { fileEvent } from '../events/file-event.ts'
import { showEvent } from '../events/show-event.ts'
import type { Circumstances, Unit, Units } from '../kernel/operation.ts'
import { ok, type Result, ResultAsync } from '../kernel/result.ts'
import type { Secrets } from '../kernel/secrets.ts'
import type { Clock } from '../ports/clock.ts'
import type { Connector } from '../ports/connector.ts'
import type { Ids } from '../ports/ids.ts'
import type { Logger } from '../ports/logger.ts'
import type { Notices } from '../ports/notifier.ts'
import type { Processor } from '../ports/processor.ts'
import type { JoinedStore, Scope, Store } from '../ports/store.ts'
import { iso } from '../schema/timestamps.ts'
import { ListenedUnit } from './listened-unit.ts'
import { type Book, Outbox } from './outbox.ts'

/** The host's listener for one event type. Runs inside the transaction that files the event; a throw rolls it back. */
export type Listener<Type extends EventType = EventType> = (
  event: Extract<Event, { type: Type }>,
  context: { tx: unknown },
) => PromiseLike<void> | void
export type Listeners = { readonly [Type in EventType]?: Listener<Type> }

/** The ports and settings of one engine. */
export interface Services extends UnitServices {
  store: Store
}

/** What operations and actions need, in the engine's own transactions or in one that the host has opened. */
export interface UnitServices {
  store: JoinedStore
  /** Whether the transaction is the host's. Then the processor is never asked, and a fault is thrown, not stored. */
  joined: boolean
  clock: Clock
  ids: Ids
  secrets: Secrets
  logger: Logger
  notifier: Notices
  /** Whether to notify also of the pause of an API key's endpoint. */
  notify_of_key_endpoints: boolean
  connectors: Readonly<Record<string, Connector>>
  processors: { readonly sandbox?: Processor; readonly live?: Processor }
  listeners: Listeners
  public_url: string
  allow_insecure_destinations: boolean
  /** How long an answered Idempotency-Key is remembered. */
  idempotency_retention_ms: number
  /** Of the dispatchers of this process: while idle they send what is filed here without a claim. */
  dispatchers: ReadonlySet<Book>
  /** Called after a commit that filed deliveries for somebody to claim. */
  wake(): void
}

/** A unit of work that remembers what it announced. */
export interface RunningUnit extends Unit {
  /** The rendered objects of the events it filed. An answer equal to one of them is not stored a second time. */
  readonly announced: { event: string; object_json: string }[]
}

export function circumstances(services: UnitServices, scope: Scope): Circumstances {
  const { ids, secrets, processors, public_url, allow_insecure_destinations, clock } = services
  return {
    scope,
    now: iso(clock.now()),
    real_now: iso(clock.real()),
    ids,
    secrets,
    processor: scope.livemode ? processors.live : processors.sandbox,
    public_url,
    allow_insecure_destinations,
  }
}

/** Runs one unit of work in one transaction. Once its deliveries are committed, they are sent, or dispatchers woken. */
export function inUnit<Value, Refusal = DomainError>(
  services: UnitServices,
  around: Circumstances,
  run: (unit: RunningUnit) => PromiseLike<Result<Value, Refusal>>,
): ResultAsync<Value, Refusal> {
  return new ResultAsync(carryOut(services, around, run))
}

/** Awaits instead of chaining ResultAsync's methods: each call makes V8 allocate a map that lives until a full collection. */
async function carryOut<Value, Refusal>(
  services: UnitServices,
  around: Circumstances,
  run: (unit: RunningUnit) => PromiseLike<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal>> {
  await ListenedUnit.around(services.store)?.ended(services)
  const listened = new ListenedUnit(services)
  const outbox = new Outbox(services)
  try {
    const result = await services.store.transaction<Value, Refusal>(around.scope, (tx) =>
      outbox.fill(tx, (filed) => run(createUnit(services, around, { tx, filed, listened }))),
    )
    if (result.isOk()) outbox.send()
    return result
  } finally {
    outbox.release()
    listened.end()
  }
}

/** One at this moment that has nothing to refuse: it is committed, or it throws. */
export function write<Value>(
  services: UnitServices,
  scope: Scope,
  run: (unit: RunningUnit) => PromiseLike<Value>,
): Promise<Value> {
  const around = circumstances(services, scope)
  const written = inUnit<Value, never>(services, around, async (unit) => ok(await run(unit)))
  return written.match(
    (value) => value,
    (refusal) => refusal,
  )
}

function createUnit(
  services: UnitServices,
  around: Circumstances,
  { tx, filed, listened }: Pick<Unit, 'tx' | 'filed'> & { listened: ListenedUnit },
): RunningUnit {
  const announced: RunningUnit['announced'] = []
  return {
    ...around,
    tx,
    announced,
    filed,
    async announce(happened) {
      const { row, object_json } = await fileEvent({ ...around, tx, filed }, happened)
      announced.push({ event: row.id, object_json })
      const listener = services.listeners[happened.type] as Listener<typeof happened.type> | undefined
      // A copy of its own: what a listener does to it changes no answer.
      if (listener) await listened.call(services, row.type, () => listener(showEvent(row), { tx: tx.native }))
    },
  }
}

/** For work outside a request. */
export function unitsOf(services: UnitServices, scope: Scope): Units {
  return {
    ...circumstances(services, scope),
    work: (run) => inUnit(services, circumstances(services, scope), run),
    write: (run) => write(services, scope, run),
    read: (run) => services.store.read(scope, run),
  }
}
