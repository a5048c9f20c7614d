import { lease_bugs } from './lease-bugs.ts'
import { money_bugs } from './money-bugs.ts'
import { page_bugs } from './page-bugs.ts'
import type { PlantedBug } from './planted-bug.ts'
import { webhook_bugs } from './webhook-bugs.ts'

/** The bugs on which the simulation is tested: one at a time, and each has to be found. */
export const planted_bugs: readonly PlantedBug[] = [
  ...money_bugs,
  ...page_bugs,
  ...webhook_bugs,
  ...lease_bugs,
]
