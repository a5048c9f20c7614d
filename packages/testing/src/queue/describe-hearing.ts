import type { OpenQueue } from '@quittance/webhooks'
import { expect } from 'vitest'
import { describe, it, soon } from '../suite.ts'
import { listenTo, withEndpoint } from './queues.ts'

export function describeHearing(open: OpenQueue): void {
  describe('what one process files', () => {
    it('wakes every other process, each time', async () => {
      const { file, woken } = await withOthers(open)
      // If only one of them is told each time, in turn, this shows.
      for (let times = 0; times < 5; times += 1) {
        const before = woken()
        await file()
        await expect
          .poll(() => woken().map((count, other) => count > (before[other] ?? 0)), soon)
          .toEqual([true, true])
      }
    })

    it('still wakes the others once one has closed', async () => {
      const { file, others, woken } = await withOthers(open)
      await others[0]?.close()
      const before = woken()
      await file()
      await expect.poll(() => woken()[1], soon).toBeGreaterThan(before[1] ?? 0)
      expect(woken()[0], 'how often the closed one called').toBe(before[0])
    })

    it.each([
      ['has closed', 0],
      ['has closed while it connected', 9],
    ])('leaves no connection of a process that %s', async (_, at_once) => {
      const used = async () => {
        // Queues opened later are connected later.
        const { queue, others } = await withOthers(open, at_once)
        for (const one of [queue, ...others]) await one.close()
      }
      // A connection that all of them share may be opened by the first, and stays.
      await used()
      const shared = connections()
      for (let times = 0; times < 3; times += 1) await used()
      await expect
        .poll(connections, { ...soon, message: 'connections afterwards' })
        .toBeLessThanOrEqual(shared)
    })
  })
}

/** The connections of this thread, including those being opened or closed. */
const connections = () =>
  process.getActiveResourcesInfo().filter((kind) => /TCPSocket|TLS|Pipe/.test(kind)).length

/** A process that files and two others that hear of it, after `closed_at_once` that were closed as soon as they were opened. */
async function withOthers(open: OpenQueue, closed_at_once = 0) {
  const { queue, another, file } = await withEndpoint(open)
  for (let times = 0; times < closed_at_once; times += 1) {
    const one = another()
    listenTo(one)
    await one.close()
  }
  const others = [another(), another()]
  const listeners = others.map(listenTo)
  const woken = () => listeners.map(({ wakes }) => wakes())
  // What is filed before they are connected may be missed.
  const reached = async () => {
    await file()
    return woken().map((count) => count > 0)
  }
  await expect.poll(reached, { ...soon, message: 'whether both were woken at all' }).toEqual([true, true])
  return { queue, others, file, woken }
}
