import { err } from '@quittance/core'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import type { OpenedStore } from './open-store.ts'
import { commit, find, here, reading, seed, turnOfTheLoop, unit, writing } from './opened.ts'
import { sampleRow } from './sample-row.ts'

/** What reads see of concurrent units of work. */
export function itReadsWhatIsCommitted(opened: () => OpenedStore): void {
  it('a read sees nothing of a transaction that is still open', async () => {
    const { store } = opened()
    let seen: Promise<unknown> | undefined
    await unit(store, here, async (tx) => {
      await tx.customers.insert(sampleRow('customers', here, 'ghost'))
      // Not awaited here: a store with one connection lets a read wait.
      seen = store.read(here, async (rows) => [
        await rows.customers.get('ghost'),
        await rows.customers.page({ where: {}, limit: 9 }),
      ])
      for (let turn = 0; turn < 5; turn += 1) await turnOfTheLoop()
      return err('rolled back')
    })
    expect(await seen).toEqual([undefined, []])
  })

  it('a read rejects with what its work throws', async () => {
    const { store } = opened()
    const fault = new Error('the disk is on fire')
    const thrown = store.read(here, async (rows) => {
      await rows.customers.get('nothing')
      throw fault
    })
    await expect(thrown).rejects.toBe(fault)
  })

  it.each([
    ['customers', 'cursors'],
    ['cursors', 'customers'],
  ] as const)('a read that sees a unit’s row of %s also sees its row of %s', async (seen, other) => {
    const { store } = opened()
    for (let index = 0; index < 20; index += 1) {
      const id = `${index}`
      let is_open = true
      // A store may commit in the order of the writes.
      const order = index % 2 === 0 ? [seen, other] : [other, seen]
      const writer = commit(store, here, async (tx) => {
        for (const table of order) await writing(tx, table).insert(sampleRow(table, here, id))
      }).finally(() => {
        is_open = false
      })
      const torn: string[] = []
      while (is_open) {
        await store.read(here, async (rows) => {
          if ((await reading(rows, seen).get(id)) === undefined) return
          if ((await reading(rows, other).get(id)) === undefined) torn.push(id)
        })
        await turnOfTheLoop()
      }
      await writer
      expect(torn, 'seen without the other').toEqual([])
    }
  })

  it('a read sees every transaction that has resolved', async () => {
    const { store } = opened()
    for (let index = 0; index < 50; index += 1) {
      const row = sampleRow('customers', here, `c${index}`)
      const own = seed(store, here, [['customers', row]])
      // The read must not depend on the end of a slow unit that is under way at the same time.
      const others = commit(store, here, async (tx) => {
        await tx.cursors.insert(sampleRow('cursors', here, `x${index}`))
        for (let turn = 0; turn < 3; turn += 1) await turnOfTheLoop()
      })
      await own
      expect(await find(store, here, 'customers', `c${index}`)).toEqual(row)
      await others
    }
  })
}
