import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { sqliteStore } from '../src/sqlite-store.ts'

/** Opens new files at the same moments as another worker, for tests. */
export interface OpeningRace {
  folder: string
  driver: 'better-sqlite3' | 'node:sqlite'
  /** For each file how many workers are there. */
  arrived: Int32Array
  workers: number
}

const { folder, driver, arrived, workers } = workerData as OpeningRace
const faults: string[] = []
for (const [file] of arrived.entries()) {
  Atomics.add(arrived, file, 1)
  while (Atomics.load(arrived, file) < workers);
  try {
    const store = sqliteStore({ filename: join(folder, `${file}.db`), driver })
    await store.migrate()
    await store.close()
  } catch (fault) {
    faults.push(String(fault))
  }
}
parentPort?.postMessage(faults)
