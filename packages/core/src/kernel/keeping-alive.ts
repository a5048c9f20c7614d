import type { Clock } from '../ports/clock.ts'

/** Keeps the process alive until the work is over. It would end where the work waits for nothing but a limit or a retry. */
export async function keepingAlive<Value>(
  clock: Pick<Clock, 'keepAlive'>,
  work: () => Promise<Value>,
): Promise<Value> {
  const letGo = clock.keepAlive?.()
  try {
    return await work()
  } finally {
    letGo?.()
  }
}
