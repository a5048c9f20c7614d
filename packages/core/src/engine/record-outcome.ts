import type { Caller, Operation, Reserved } from '../kernel/operation.ts'
import { askedBy, scopeOf } from './request.ts'
import type { UnitServices } from './services.ts'
import { write } from './unit-of-work.ts'

export type Remote = Extract<Operation, { kind: 'remote' }>

/**
 * Commits an outcome by `record`. Where that fails, the intent is shown as unanswered if it can be: before it tries again with
 * a new key a client reads the object back (specification: Idempotency rules), and has to find it.
 */
export async function recordOutcome<Recorded>(
  services: UnitServices,
  { operation, caller, intent }: { operation: Remote; caller: Caller; intent: Reserved },
  record: () => Promise<Recorded>,
): Promise<Recorded> {
  try {
    return await record()
  } catch (fault) {
    const { unanswered } = operation
    if (unanswered !== null) {
      const shown = write(services, scopeOf(caller), (unit) =>
        operation.record(askedBy(caller, unit), intent, unanswered),
      )
      await shown.catch(() => undefined)
    }
    throw fault
  }
}
