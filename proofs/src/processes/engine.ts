import {
  type Clock,
  createEngine,
  type Engine,
  type Logger,
  type Processor,
  type Store,
} from '@quittance/core'
import { postgresStore } from '@quittance/store-postgres'
import type { ProcessSettings } from './calls.ts'

/** The same engine in every process: the processes share the database and the processor. */
export function openEngine(
  { connectionString, schema, connections, redis }: ProcessSettings,
  ports: { processor: Processor; clock: Clock; logger?: Logger },
): { engine: Engine; store: Store } {
  const { processor, ...others } = ports
  const store = postgresStore({ connectionString, schema, connections, notify: redis === undefined })
  const engine = createEngine({
    store,
    secret: 'a secret of the proofs, of 32 bytes or more',
    processors: { sandbox: processor },
    publicUrl: 'https://pay.example.com',
    allowInsecureDestinations: true,
    rateLimit: false,
    ...others,
  })
  return { engine, store }
}
