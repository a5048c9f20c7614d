import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { PlantedBug } from './planted-bug.ts'

export interface Hunt {
  bug: PlantedBug
  /** How many histories were tried, including the one that found it. */
  tried: number
  /** The invariants that did not hold in that history, by number. Empty if the bug was not found. */
  violations: string[]
}

/** Simulates, in a child process whose engine has the bug, one history after another until one of them fails. */
export async function hunt(
  bug: PlantedBug,
  { seed, histories }: { seed: number; histories: number },
): Promise<Hunt> {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--conditions=@quittance/source',
      '--no-warnings',
      `--import=${file('plant.ts')}`,
      file('search.ts'),
      String(seed),
      String(histories),
    ],
    { env: { ...process.env, PLANTED_BUG: bug.name } },
  )
  return { bug, ...(JSON.parse(stdout) as Omit<Hunt, 'bug'>) }
}

/** Whether the bug was recognized: by one of the invariants that it breaks. */
export function isFound({ bug, violations }: Hunt): boolean {
  return violations.some((violation) => bug.breaks.some((invariant) => violation.startsWith(`${invariant}:`)))
}
