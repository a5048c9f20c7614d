import { deliveries } from './deliveries.ts'
import { lists } from './lists.ts'
import { operationOverhead } from './operation-overhead.ts'
import { paymentsOnPostgres } from './payments-on-postgres.ts'
import { paymentsOverHttp } from './payments-over-http.ts'
import { readsOverHttp } from './reads-over-http.ts'
import { print, type Scenario } from './report.ts'

/** Every scenario measures the engine and what it is compared with in the same run: only the ratios count. */
const scenarios: Record<string, Scenario> = {
  overhead: operationOverhead,
  payments: paymentsOverHttp,
  'payments-postgres': paymentsOnPostgres,
  reads: readsOverHttp,
  lists,
  deliveries,
}

const wanted = process.argv.slice(2)
for (const [name, run] of Object.entries(scenarios)) {
  if (wanted.length === 0 || wanted.includes(name)) print(name, await run())
}
