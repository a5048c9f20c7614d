import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { openHome } from '../../packages/cli/src/home.ts'

/** Opens homes at the same moments as another worker, for tests. */
export interface HomeRace {
  folder: string
  /** For each home how many workers are there. */
  arrived: Int32Array
  workers: number
}

const { folder, arrived, workers } = workerData as HomeRace
const secrets: string[] = []
for (const [home] of arrived.entries()) {
  Atomics.add(arrived, home, 1)
  while (Atomics.load(arrived, home) < workers);
  secrets.push(openHome(join(folder, `${home}`)).secret())
}
parentPort?.postMessage(secrets)
