import type { Clock } from '../ports/clock.ts'
import type { Connector } from '../ports/connector.ts'
import { hold_ms } from './sync-run-machine.ts'

/** For all pages that a step reads: half of its hold, so that nobody takes the run over meanwhile. */
const answers_ms = hold_ms / 2

/** Gives `use` a connector whose calls throw once the time is over, so that it asks for nothing more then. */
export async function withLimit<Value>(
  connector: Connector,
  clock: Clock,
  use: (limited: Connector) => Promise<Value>,
): Promise<Value> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(answers_ms, () => reject(new DOMException('no answer in time', 'TimeoutError')))
  // It may be over between two calls.
  over.catch(() => {})
  const limited: Connector = {
    customers: (request) => Promise.race([over, connector.customers(request)]),
    invoices: (request) => Promise.race([over, connector.invoices(request)]),
  }
  try {
    return await use(limited)
  } finally {
    cancel()
  }
}
