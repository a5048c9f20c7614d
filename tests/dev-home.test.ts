import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { openHome } from '../packages/cli/src/home.ts'
import { temporaryHome } from './server/dev-server.ts'
import type { HomeRace } from './server/home-worker.ts'

/** The secrets that two workers have got which opened `homes` new homes at the same moments. */
async function race(folder: string, homes: number): Promise<string[][]> {
  const arrived = new Int32Array(new SharedArrayBuffer(homes * Int32Array.BYTES_PER_ELEMENT))
  const workerData: HomeRace = { folder, arrived, workers: 2 }
  const running = [1, 2].map(async () => {
    const worker = new Worker(new URL('server/home-worker.ts', import.meta.url), { workerData })
    onTestFinished(async () => void (await worker.terminate()))
    const [secrets] = (await once(worker, 'message')) as [string[]]
    return secrets
  })
  return Promise.all(running)
}

// One of them failed at a file that the other had taken away, or sealed with a secret that nobody found again.
it('servers that start together in one new home have one secret, which is the one that is kept', async () => {
  const { home, remove } = temporaryHome()
  onTestFinished(remove)
  const [one, other] = await race(home, 200)
  expect(other).toEqual(one)
  expect(new Set(one).size).toBe(200)
  const left = readdirSync(home).map((number) => readdirSync(join(home, number)))
  expect(new Set(left.flat())).toEqual(new Set(['secret']))
})

// What the parser said of it did not name the file.
it.each(['', '{}', 'null', '{"sandbox":'])('a dev.json that holds %j is said to be damaged', (content) => {
  const { home, remove } = temporaryHome()
  onTestFinished(remove)
  const file = join(home, 'dev.json')
  writeFileSync(file, content)
  expect(() => openHome(home).readDevFile()).toThrow(`${file} is damaged`)
})
