import { parseArgs } from 'node:util'
import { wholeNumber } from '../read-numbers.ts'
import { hunt, isFound } from './hunt.ts'
import { planted_bugs } from './planted-bugs.ts'

/** `--bug <name> --histories 100000 --seed 1`: without a name, all bugs, one after another. */
export async function plantedBugs(options: string[]): Promise<{ violations: number }> {
  const { values } = parseArgs({
    args: options,
    options: {
      bug: { type: 'string' },
      histories: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
    },
  })
  const wanted = planted_bugs.filter(({ name }) => values.bug === undefined || name === values.bug)
  if (wanted.length === 0) throw new Error(`There is no bug "${values.bug}" to plant.`)
  const seed = wholeNumber('seed', values.seed)
  const histories = wholeNumber('histories', values.histories)
  let missed = 0
  for (const bug of wanted) {
    const found = await hunt(bug, { seed, histories })
    const [violation = 'nothing was violated'] = found.violations
    if (!isFound(found)) missed += 1
    console.log(`${isFound(found) ? 'found ' : 'MISSED'} after ${found.tried}: ${bug.name}\n  ${violation}`)
  }
  console.log(`${wanted.length - missed} of ${wanted.length} planted bugs were found`)
  return { violations: missed }
}
