import { setTimeout } from 'node:timers/promises'
import { type ClaimedDelivery, err, type ScopeLock, type Store } from '@quittance/core'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { meeting, waitsForAnother } from './beside-another.ts'
import { claimRequest, seedQueue } from './claiming.ts'
import type { OpenedStore } from './open-store.ts'
import { commit, here, unit, withAnother } from './opened.ts'
import { sampleRow } from './sample-row.ts'

const one_alone: readonly [ScopeLock, ScopeLock][] = [
  ['shared', 'exclusive'],
  ['exclusive', 'shared'],
  ['exclusive', 'exclusive'],
]

export function itLocksScopes(opened: () => OpenedStore, options: { processes: boolean }): void {
  it.each(one_alone)('a unit that holds a scope %s ends before another holds it %s', async (held, asked) => {
    const { store } = opened()
    expect(await faultUnderLock([store, held], [store, asked])).toBe('')
  })
  it('two units may both hold a scope shared', async () => {
    const { store } = opened()
    const waits = await waitsForAnother(store, (tx) => tx.lockScope('shared'))
    expect(waits, 'whether the second of them waits').toBe(false)
  })
  it('a claim waits for a unit that holds a scope exclusive', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'endpoint', [0])
    const claims: Promise<ClaimedDelivery[]>[] = []
    await commit(store, here, async (tx) => {
      await tx.lockScope('exclusive')
      const claiming = store.claimDeliveries(claimRequest)
      claims.push(claiming)
      expect(await Promise.race([claiming, setTimeout(200, 'waits')])).toBe('waits')
    })
    const claimed = await Promise.all([...claims, store.claimDeliveries(claimRequest)])
    expect(claimed.flat()).toHaveLength(1)
  })
  if (options.processes) itLetsGo(opened)
}

function itLetsGo(opened: () => OpenedStore): void {
  it.each(['shared', 'exclusive'] as const)(
    'a unit that has locked a scope %s keeps no other process waiting once it gave Err or threw',
    async (mode) => {
      const { store } = opened()
      const refused = await unit(store, here, async (tx) => err(await tx.lockScope(mode)))
      expect(refused.isErr()).toBe(true)
      const thrown = commit(store, here, async (tx) => {
        await tx.lockScope(mode)
        throw new Error('under the lock')
      })
      await expect(thrown).rejects.toThrow('under the lock')
      await withAnother(opened(), (_, another) =>
        commit(another, here, async (tx) => tx.lockScope('exclusive')),
      )
    },
  )
}

/**
 * What is wrong when the second unit locks a scope that the first has locked and written in; an empty text if nothing is
 * wrong.
 */
export async function faultUnderLock(
  [first, held]: [Store, ScopeLock],
  [second, asked]: [Store, ScopeLock],
): Promise<string> {
  let has_written = false
  let fault = 'the second has never had the lock'
  const [holding, asking] = await meeting(
    (meanwhile) =>
      commit(first, here, async (tx) => {
        await tx.lockScope(held)
        await meanwhile()
        await tx.customers.insert(sampleRow('customers', here, 'written'))
        has_written = true
      }),
    () =>
      commit(second, here, async (tx) => {
        // What it reads before it asks for the lock must not decide what it reads after.
        await tx.customers.get('written')
        const [, with_it] = await Promise.all([tx.lockScope(asked), tx.customers.get('written')])
        const after_it = await tx.customers.get('written')
        if (!has_written) fault = 'the second had the lock while the first held it'
        else if (after_it === undefined) fault = 'a read after `lockScope` missed what the first had written'
        else if (with_it === undefined) fault = 'a read called right after `lockScope` missed it'
        else fault = ''
      }),
  )
  if (holding.status === 'rejected') return `the first has failed: ${holding.reason}`
  return asking.status === 'rejected' ? `the second has failed: ${asking.reason}` : fault
}
