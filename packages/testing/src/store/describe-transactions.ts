import { err, errAsync, ok, okAsync, type Result, type Transaction } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { itLeavesNothing } from './describe-undone.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, everyRow, find, here, seed, turnOfTheLoop, unit } from './opened.ts'
import { at, sampleRow } from './sample-row.ts'

const kept = sampleRow('customers', here, 'kept')

export function describeTransactions(open: OpenStore): void {
  describe('a unit of work', () => {
    const opened = eachOpened(open)
    itHasNoEffectWithoutOk(opened)
    itLeavesNothing(opened)
    itSeesItsWrites(opened)
    itEnds(opened)
    itEndsBeforeItsStore(opened)
  })
}

function itHasNoEffectWithoutOk(opened: () => OpenedStore): void {
  it('is without effect when it gives Err', async () => {
    const { store } = opened()
    await seed(store, here, [['customers', kept]])
    const result = await unit(store, here, async (tx) => {
      await tx.customers.insert(sampleRow('customers', here, 'new'))
      await tx.customers.update({ ...kept, name: 'changed' })
      await tx.cursors.insertNew(sampleRow('cursors', here, 'cursor'))
      await tx.customers.delete('kept')
      return err('refused')
    })
    expect(result.isErr() && result.error).toBe('refused')
    expect(await find(store, here, 'customers', 'new')).toBeUndefined()
    expect(await find(store, here, 'cursors', 'cursor')).toBeUndefined()
    expect(await find(store, here, 'customers', 'kept')).toEqual(kept)
  })

  it('is without effect when it throws, and rejects with what was thrown', async () => {
    const { store } = opened()
    const fault = new Error('the disk is on fire')
    const thrown = unit(store, here, async (tx) => {
      await tx.customers.insert(kept)
      throw fault
    })
    await expect(thrown).rejects.toBe(fault)
    expect(await find(store, here, 'customers', 'kept')).toBeUndefined()
  })

  it('is without effect when it throws before its first await', async () => {
    const { store } = opened()
    const thrown = unit(store, here, () => {
      throw new Error('at once')
    })
    await expect(thrown).rejects.toThrow('at once')
    await seed(store, here, [['customers', kept]])
    expect(await find(store, here, 'customers', 'kept')).toEqual(kept)
  })

  it('resolves to the very value or refusal that its work gives', async () => {
    const { store } = opened()
    const value = { nested: [1, 2] }
    const refusal = { code: 'conflict', extra: { a: 'b' } }
    const done = await unit(store, here, async () => ok(value))
    const refused = await unit(store, here, async () => err(refusal))
    expect(done.isOk() && done.value).toBe(value)
    expect(refused.isErr() && refused.error).toBe(refusal)
  })

  it('accepts work whose result has `then` and no other method of a promise', async () => {
    const { store } = opened()
    const done = await unit(store, here, () => okAsync('value'))
    const refused = await unit(store, here, () => errAsync('refusal'))
    expect([done, refused]).toEqual([ok('value'), err('refusal')])
    expect(await store.read(here, () => okAsync('read'))).toEqual(ok('read'))
  })
}

function itSeesItsWrites(opened: () => OpenedStore): void {
  it('sees what it has written itself', async () => {
    const { store } = opened()
    await seed(store, here, [['customers', kept]])
    await commit(store, here, async (tx) => {
      await tx.customers.insert(sampleRow('customers', here, 'new'))
      await tx.customers.update({ ...kept, name: 'changed' })
      expect((await tx.customers.get('kept'))?.name).toBe('changed')
      expect((await tx.customers.lock('kept'))?.name).toBe('changed')
      const page = await tx.customers.page({ where: { name: 'changed' }, limit: 10 })
      expect(page.map((row) => row.id)).toEqual(['kept'])
      await tx.customers.delete('kept')
      expect(await tx.customers.get('kept')).toBeUndefined()
      const left = await tx.customers.page({ where: {}, limit: 10 })
      expect(left.map((row) => row.id)).toEqual(['new'])
    })
  })

  it('may delete a row and insert it again', async () => {
    const { store } = opened()
    await seed(store, here, [['customers', kept]])
    await commit(store, here, async (tx) => {
      await tx.customers.delete('kept')
      await tx.customers.insert({ ...kept, name: 'again' })
    })
    expect(await find(store, here, 'customers', 'kept')).toEqual({ ...kept, name: 'again' })
  })

  it('updates a locked row to what it is given: changed in place, changed back, or the same', async () => {
    const { store } = opened()
    const metadata = { order: '1' }
    await seed(store, here, [['payments', sampleRow('payments', here, 'pay', { metadata })]])
    await commit(store, here, async (tx) => {
      const row = await tx.payments.lock('pay')
      if (row === undefined) throw new Error('a row that was inserted is not there')
      await tx.payments.update({ ...row, amount: 7 })
      await tx.payments.update({ ...row, reference: 'both' })
      row.description = 'in place'
      row.metadata.order = '2'
      await tx.payments.update(row)
      await tx.payments.update(row)
    })
    const found = await find(store, here, 'payments', 'pay')
    expect(found).toEqual(
      sampleRow('payments', here, 'pay', { metadata: { order: '2' }, description: 'in place' }),
    )
  })

  it('refuses to update a row that it has deleted', async () => {
    const { store } = opened()
    await seed(store, here, [['customers', kept]])
    const updated = commit(store, here, async (tx) => {
      await tx.customers.lock('kept')
      await tx.customers.delete('kept')
      await tx.customers.update({ ...kept, name: 'changed' })
    })
    await expect(updated).rejects.toThrow(kept.id)
    expect(await find(store, here, 'customers', 'kept')).toEqual(kept)
  })

  it('refuses to update a row that does not exist', async () => {
    const { store } = opened()
    await expect(commit(store, here, async (tx) => tx.customers.update(kept))).rejects.toThrow(kept.id)
    expect(await find(store, here, 'customers', 'kept')).toBeUndefined()
  })

  it('finds no row that was deleted, and does nothing when it deletes a missing one', async () => {
    const { store } = opened()
    await seed(store, here, [['customers', kept]])
    await commit(store, here, async (tx) => tx.customers.delete('kept'))
    await commit(store, here, async (tx) => tx.customers.delete('kept'))
    expect(await find(store, here, 'customers', 'kept')).toBeUndefined()
  })
}

function itEnds(opened: () => OpenedStore): void {
  it.each(['gave Ok', 'gave Err', 'threw'])('rejects every call of its `tx` once it %s', async (end) => {
    const { store } = opened()
    await seed(store, here, [['customers', kept]])
    await expectEnded(end, (work) => unit(store, here, work))
    expect(await everyRow(store, here, 'customers')).toEqual([kept])
  })

  it('can insert thousands of rows', async () => {
    const { store } = opened()
    const ids = Array.from({ length: 5_000 }, (_, index) => `c${String(index).padStart(5, '0')}`)
    await commit(store, here, async (tx) => {
      for (const id of ids) await tx.customers.insert(sampleRow('customers', here, id))
    })
    const page = await everyRow(store, here, 'customers')
    expect(page.map((row) => row.id)).toEqual(ids.reverse())
  })

  it('stays apart from other units while its work awaits something slow', async () => {
    const { store } = opened()
    const slow = unit(store, here, async (tx) => {
      await tx.customers.insert(kept)
      for (let turn = 0; turn < 10; turn += 1) await turnOfTheLoop()
      return err('refused in the end')
    })
    const others = ['x', 'y', 'z'].map((id) =>
      seed(store, here, [['customers', sampleRow('customers', here, id)]]),
    )
    await Promise.all(others)
    expect((await slow).isErr()).toBe(true)
    const page = await everyRow(store, here, 'customers')
    expect(page.map((row) => row.id)).toEqual(['z', 'y', 'x'])
  })
}

function itEndsBeforeItsStore(opened: () => OpenedStore): void {
  it('ends before its store is closed, even if it has to wait for others; closing again does nothing', async () => {
    const { store } = opened()
    const ended = new Set<string>()
    const units = ['x', 'y', 'z'].map((id) =>
      unit(store, here, async (tx) => {
        await tx.customers.insert(sampleRow('customers', here, id))
        for (let turn = 0; turn < 10; turn += 1) await turnOfTheLoop()
        expect(await tx.customers.get(id)).toBeDefined()
        ended.add(id)
        return ok(id)
      }),
    )
    const closed = [store.close(), store.close()]
    await closed[0]
    expect([...ended], 'units that have ended once the store is closed').toHaveLength(3)
    const outcomes = await Promise.all(units)
    expect(outcomes.map((outcome) => outcome.isOk() && outcome.value)).toEqual(['x', 'y', 'z'])
    await closed[1]
    await store.close()
  })
}

/** A unit whose work has ended, as `end` says, can do nothing more. */
export async function expectEnded(
  end: string,
  run: (work: (tx: Transaction) => Promise<Result<null, string>>) => PromiseLike<unknown>,
): Promise<void> {
  const late: (() => unknown)[] = []
  const added = sampleRow('customers', here, 'added')
  const ended = async () =>
    await run(async (tx) => {
      late.push(
        () => tx.customers.get('kept'),
        () => tx.customers.page({ where: {}, limit: 1 }),
        () => tx.customers.lock('kept'),
        () => tx.customers.insert(added),
        () => tx.customers.insertNew(added),
        () => tx.customers.update({ ...kept, name: 'changed' }),
        () => tx.customers.delete('kept'),
        () => tx.native,
        () => tx.lockScope('shared'),
        () => tx.leaseDeliveries({ ids: [], real_at: at, lease_until: at, per_workspace: 10 }),
      )
      if (end === 'threw') throw new Error('in the end')
      return end === 'gave Ok' ? ok(null) : err('refused')
    })
  await Promise.allSettled([ended()])
  for (const one of late) await expect((async () => one())(), String(one)).rejects.toThrow()
}
