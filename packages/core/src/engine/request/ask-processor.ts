import { inWords } from '../../kernel/in-words.ts'
import type { Caller, Context, Operation, Reserved } from '../../kernel/operation.ts'
import type { UnitServices } from '../services.ts'
import { write } from '../unit-of-work/unit-of-work.ts'
import { askedBy } from './request.ts'

export type Remote = Extract<Operation, { kind: 'remote' }>

/**
 * Asks the processor after the reservation, as of its moment and with no transaction open, then commits the outcome by
 * `record`. If that fails, the intent is recorded as unanswered if it can be: a client reads the object back before it retries
 * with a new key (specification: Idempotency rules), and has to find it.
 */
export async function askProcessor<Recorded>(
  services: UnitServices,
  context: Context,
  { operation, caller, intent }: { operation: Remote; caller: Caller; intent: Reserved },
  record: (outcome: unknown) => Promise<Recorded>,
): Promise<Recorded> {
  const outcome = await operation.call(askedBy(caller, context), intent)
  try {
    return await record(outcome)
  } catch (fault) {
    const { unanswered } = operation
    if (unanswered !== null) {
      const shown = write(services, context.scope, (unit) =>
        operation.record(askedBy(caller, unit), intent, unanswered),
      )
      await shown.catch((second: unknown) => {
        const named = { ...context.scope, id: intent.id, fault: inWords(second) }
        services.logger.error('the outcome of a charge or refund could not be recorded', named)
      })
    }
    throw fault
  }
}
