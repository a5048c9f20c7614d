import type { DomainError } from '../../errors/domain-error.ts'
import type { EventRow } from '../../events/event.ts'
import { fileEvent } from '../../events/file-event.ts'
import { showEvent } from '../../events/show-event.ts'
import type { Context, Unit, Units } from '../../kernel/operation.ts'
import { ok, type Result } from '../../kernel/result.ts'
import type { Scope } from '../../ports/store.ts'
import { iso } from '../../schema/timestamps.ts'
import type { Listener } from '../engine-options.ts'
import type { UnitServices } from '../services.ts'
import { ListenedUnit } from './listened-unit.ts'
import { Outbox } from './outbox.ts'

/** A unit of work that remembers what it announced. */
export interface RunningUnit extends Unit {
  /** The events it filed, with the objects as rendered. An answer equal to one of those objects is not stored a second time. */
  readonly announced: { event: EventRow; object_json: string }[]
}

/**
 * Runs one unit of work in one transaction, and its listeners at the end of it. Once its deliveries are committed, they are
 * sent, or dispatchers woken.
 */
export async function inUnit<Value, Refusal = DomainError>(
  services: UnitServices,
  context: Context,
  run: (unit: RunningUnit) => PromiseLike<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal>> {
  await ListenedUnit.around(services)?.ended(services)
  const listened = new ListenedUnit(services)
  const outbox = new Outbox(services)
  try {
    const result = await services.store.transaction<Value, Refusal>(context.scope, (tx) =>
      outbox.fill(tx, async (sendAfterCommit) => {
        const unit = createUnit(context, { tx, sendAfterCommit })
        const outcome = await run(unit)
        if (outcome.isOk()) await callListeners(services, unit, listened)
        return outcome
      }),
    )
    if (result.isOk()) outbox.send()
    return result
  } finally {
    outbox.release()
    listened.end()
  }
}

/** A unit of work that refuses nothing: it is committed, or it throws. */
export async function write<Value>(
  services: UnitServices,
  scope: Scope,
  run: (unit: RunningUnit) => PromiseLike<Value>,
): Promise<Value> {
  const context = contextOf(services, scope)
  const written = await inUnit<Value, never>(services, context, async (unit) => ok(await run(unit)))
  return written.match(
    (value) => value,
    (refusal) => refusal,
  )
}

/** For work outside a request. */
export function unitsOf(services: UnitServices, scope: Scope): Units {
  return {
    ...contextOf(services, scope),
    work: (run) => inUnit(services, contextOf(services, scope), run),
    write: (run) => write(services, scope, run),
    read: (run) => services.store.read(scope, run),
  }
}

export function contextOf(services: UnitServices, scope: Scope): Context {
  const { ids, secrets, processors, logger, public_url, allow_insecure_destinations, clock } = services
  return {
    scope,
    now: iso(clock.now()),
    real_now: iso(clock.real()),
    ids,
    secrets,
    processor: scope.livemode ? processors.live : processors.sandbox,
    logger,
    public_url,
    allow_insecure_destinations,
  }
}

function createUnit(
  context: Context,
  { tx, sendAfterCommit }: Pick<Unit, 'tx' | 'sendAfterCommit'>,
): RunningUnit {
  const announced: RunningUnit['announced'] = []
  return {
    ...context,
    tx,
    announced,
    sendAfterCommit,
    async announce(happened) {
      announced.push(await fileEvent({ ...context, tx, sendAfterCommit }, happened))
    },
  }
}

/**
 * Calls the host's listener of each event that the unit filed. They come last: one that joins the transaction may roll back to
 * a savepoint of its own, which undoes whatever is written meanwhile.
 */
async function callListeners(
  services: UnitServices,
  { announced, tx }: RunningUnit,
  listened: ListenedUnit,
): Promise<void> {
  for (const { event } of announced) {
    const listener = services.listeners[event.type] as Listener | undefined
    // A copy of its own: what the listener does to it changes no response.
    if (listener) await listened.call(services, event, () => listener(showEvent(event), { tx: tx.native }))
  }
}
