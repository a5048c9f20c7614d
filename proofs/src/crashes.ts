import { parseArgs } from 'node:util'
import { postgresServer } from '../../packages/store-postgres/test/postgres-server.ts'
import { type Children, openChildren } from '../../tests/crashes/children.ts'
import type { Flow } from '../../tests/crashes/flow.ts'
import { flows } from '../../tests/crashes/flows.ts'
import { type Homes, postgresHomes, sqliteHomes } from '../../tests/crashes/homes.ts'
import { killEverywhere } from '../../tests/crashes/kill-everywhere.ts'

/** A child process is killed at every moment of every flow, on both stores. `--flow <words of its sentence>` */
export async function crashes(options: string[]): Promise<{ violations: number }> {
  const { values } = parseArgs({ args: options, options: { flow: { type: 'string', default: '' } } })
  const chosen = flows.filter(({ sentence }) => sentence.includes(values.flow))
  if (chosen.length === 0) throw new Error(`There is no flow of a process that "${values.flow}".`)
  const server = await postgresServer()
  const children = await openChildren()
  try {
    const stores = { SQLite: sqliteHomes, Postgres: () => postgresHomes(server.url) }
    let violations = 0
    for (const [store, openHomes] of Object.entries(stores))
      violations += await killOn(store, { openHomes, children, chosen })
    return { violations }
  } finally {
    children.close()
    await server.stop()
  }
}

/** How many violations there were. */
async function killOn(
  store: string,
  { openHomes, children, chosen }: { openHomes: () => Homes; children: Children; chosen: readonly Flow[] },
): Promise<number> {
  const started_ms = performance.now()
  let killed = 0
  let found = 0
  for (const flow of chosen) {
    const { points, violations } = await killEverywhere(flow, { children, homes: openHomes() })
    killed += points
    found += violations.length
    console.log(`  ${store}: ${String(points).padStart(3)} deaths of a process that ${flow.sentence}`)
    for (const violation of violations) console.log(`    VIOLATED: ${violation}`)
  }
  const seconds = ((performance.now() - started_ms) / 1000).toFixed(1)
  console.log(`  ${store}: ${killed} deaths in ${chosen.length} flows, ${seconds} s`)
  return found
}
