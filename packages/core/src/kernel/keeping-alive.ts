import type { Clock } from '../ports/clock.ts'

/** Keeps the process alive until the work is over: it would end where only a limit or a retry is waited for. */
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
