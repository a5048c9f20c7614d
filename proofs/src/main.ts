import { eightProcesses } from './eight-processes.ts'
import { restarts } from './restarts.ts'
import { simulation } from './simulation.ts'

/**
 * What takes too long for every run of the tests: `npm run proof`, or `npm run proof -- <name> [options]`. Each proof
 * prints what it did and what it found, and exits with 1 when anything was violated. The figures are in docs/proof.md.
 */
const proofs: Record<string, (options: string[]) => Promise<{ violations: number }>> = {
  'eight-processes': eightProcesses,
  restarts,
  simulation,
}

const [name, ...options] = process.argv.slice(2)
const wanted = name === undefined ? Object.keys(proofs) : [name]
for (const one of wanted) {
  const prove = proofs[one]
  if (prove === undefined)
    throw new Error(`There is no proof "${one}", only ${Object.keys(proofs).join(', ')}.`)
  console.log(`${one}:`)
  const { violations } = await prove(options)
  if (violations > 0) process.exitCode = 1
}
