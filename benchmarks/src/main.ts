import { deliveries } from './deliveries/deliveries.ts'
import { frameworks } from './frameworks.ts'
import { growth } from './growth.ts'
import { lists } from './lists.ts'
import { memory } from './memory.ts'
import { operationOverhead } from './operation-overhead.ts'
import { paymentsOnPostgres } from './payments-on-postgres.ts'
import { paymentsOverHttp } from './payments-over-http.ts'
import { readsOverHttp } from './reads-over-http.ts'
import { print, type Scenario } from './report.ts'
import { start } from './start.ts'
import { workspaces } from './workspaces.ts'

/** Every scenario measures the engine and what it is compared with in the same run: only the ratios count. */
const scenarios: Record<string, Scenario> = {
  overhead: operationOverhead,
  payments: paymentsOverHttp,
  'payments-postgres': paymentsOnPostgres,
  reads: readsOverHttp,
  frameworks,
  lists,
  deliveries,
  growth,
  workspaces,
  memory,
  start,
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in scenarios))
if (unknown.length > 0) throw new Error(`there is no ${unknown}, only ${Object.keys(scenarios)}`)
for (const [name, run] of Object.entries(scenarios)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  try {
    print(name, await run())
  } catch (fault) {
    console.error(`\n${name} has failed`, fault)
    process.exitCode = 1
  }
}
