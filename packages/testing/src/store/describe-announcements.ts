import type { Store } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it, soon } from '../suite.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { eachOpened, turnOfTheLoop } from './opened.ts'

export function describeAnnouncements(open: OpenStore, { announces }: { announces: boolean }): void {
  describe('an announcement of deliveries', () => {
    const opened = eachOpened(open)
    itIsNoBurden(opened, { announces })
    if (announces) itIsHeard(opened)
  })
}

function itIsNoBurden(opened: () => OpenedStore, { announces }: { announces: boolean }): void {
  it('does nothing once the store is closed, and wakes nobody if the store hears no other process', async () => {
    const { store } = opened()
    let woken = 0
    const leave = store.onDeliveriesElsewhere(() => {
      woken += 1
    })
    store.announceDeliveries()
    await turnOfTheLoop()
    if (!announces) expect(woken, 'by a store that hears nobody').toBe(0)
    leave()
    leave()
    await store.close()
    store.announceDeliveries()
  })
}

function itIsHeard(opened: () => OpenedStore): void {
  it('wakes every listener in other processes until it leaves, and none in its own', async () => {
    const { store, other } = await twoOf(opened())
    const [own, left, stayed] = await listening([store, other, other])
    store.announceDeliveries()
    await expect.poll(() => [left?.times, stayed?.times], soon).toEqual([1, 1])
    left?.leave()
    store.announceDeliveries()
    await expect.poll(() => stayed?.times, soon).toBe(2)
    other.announceDeliveries()
    await expect.poll(() => own?.times, soon).toBe(1)
    expect([left?.times, stayed?.times]).toEqual([1, 2])
    await other.close()
  })

  it('is combined with others made meanwhile, and is heard even if the store is closed right after it', async () => {
    const { store, other } = await twoOf(opened())
    const [far] = await listening([other])
    for (let count = 0; count < 500; count += 1) store.announceDeliveries()
    await store.close()
    await expect.poll(() => far?.times, soon).toBeGreaterThan(0)
    expect(far?.times).toBeLessThan(10)
    await other.close()
  })
}

async function twoOf({ store, reopen }: OpenedStore): Promise<{ store: Store; other: Store }> {
  if (reopen === undefined) throw new Error('a store that is heard by others can be opened again')
  return { store, other: await reopen() }
}

/** Counts the wake-ups of each store once it listens, without the first, which is for what it may have missed. */
async function listening(stores: readonly Store[]) {
  const counted = stores.map((store) => {
    const waiting = { times: 0, leave: () => {} }
    waiting.leave = store.onDeliveriesElsewhere(() => {
      waiting.times += 1
    })
    return waiting
  })
  await expect.poll(() => counted.every(({ times }) => times > 0), soon).toBe(true)
  for (const waiting of counted) waiting.times = 0
  return counted
}
