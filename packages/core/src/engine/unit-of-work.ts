import type { DomainError } from '../errors/domain-error.ts'
import { fileEvent } from '../events/file-event.ts'
import { showEvent } from '../events/show-event.ts'
import type { Circumstances, Unit, Units } from '../kernel/operation.ts'
import { ok, type Result } from '../kernel/result.ts'
import type { Scope } from '../ports/store.ts'
import { iso } from '../schema/timestamps.ts'
import { ListenedUnit } from './listened-unit.ts'
import { Outbox } from './outbox.ts'
import type { Listener, UnitServices } from './services.ts'

/** A unit of work that remembers what it announced. */
export interface RunningUnit extends Unit {
  /** The rendered objects of the events it filed. An answer equal to one of them is not stored a second time. */
  readonly announced: { event: string; object_json: string }[]
}

/** Runs one unit of work in one transaction. Once its deliveries are committed, they are sent, or dispatchers woken. */
export async function inUnit<Value, Refusal = DomainError>(
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
export async function write<Value>(
  services: UnitServices,
  scope: Scope,
  run: (unit: RunningUnit) => PromiseLike<Value>,
): Promise<Value> {
  const around = circumstances(services, scope)
  const written = await inUnit<Value, never>(services, around, async (unit) => ok(await run(unit)))
  return written.match(
    (value) => value,
    (refusal) => refusal,
  )
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
