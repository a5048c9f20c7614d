import { fork } from 'node:child_process'

/** Consecutive seeds for one process. A count of 0 means that there are no more. */
export interface Portion {
  first: number
  count: number
}

interface Portioned<Found> {
  /** The module that calls `workThrough`. */
  child: URL
  /** All seeds, and how many a process is handed at a time. */
  seeds: Portion
  portion: number
  processes: number
  /** Takes what was found. Returns true if that is enough. */
  found(found: Found): boolean
}

/** Hands out seeds to processes, a new portion whenever a process has finished one. Resolves to how many were handed out. */
export async function inProcesses<Found>(work: Portioned<Found>): Promise<number> {
  const { child: file, seeds, portion, processes, found } = work
  let end = seeds.first + seeds.count
  let next = seeds.first
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(file)
      const hand = () => {
        const count = Math.max(0, Math.min(portion, end - next))
        child.send({ first: next, count })
        next += count
      }
      child.on('message', (answer) => {
        if (found(answer as Found)) end = next
        hand()
      })
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))))
      hand()
    })
  await Promise.all(Array.from({ length: Math.min(processes, Math.ceil(seeds.count / portion)) }, one))
  return next - seeds.first
}

/** For a process that `inProcesses` has started: works through portions until there are none left. */
export function workThrough<Found>(work: (portion: Portion) => Promise<Found>, close = async () => {}): void {
  process.on('message', async (portion: Portion) => {
    if (portion.count > 0) {
      process.send?.(await work(portion))
      return
    }
    await close()
    process.disconnect()
  })
}
