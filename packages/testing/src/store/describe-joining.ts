import { setTimeout } from 'node:timers/promises'
import { err, type JoinedStore, ok, type Result, type Transaction } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { itLendsItsTransactions, itRefusesStrangers, itRunsUnitsInIt } from './describe-joined-units.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { eachOpened, everyRow, find, here, joinHost, turnOfTheLoop, unit } from './opened.ts'
import { sampleRow } from './sample-row.ts'

const customer = (id: string) => sampleRow('customers', here, id)

/** The host's own transactions, of each kind that the store joins. */
export function describeJoining(open: OpenStore, kinds: readonly string[]): void {
  describe('a transaction of the host', () => itKnowsWhatItCanJoin(eachOpened(open)))
  for (const kind of kinds) {
    describe(`a transaction of the host, ${kind},`, () => {
      const opened = eachOpened(open)
      itCommitsOrVanishesWithIt(opened, kind)
      itUndoesAUnitAlone(opened, kind)
      itKnowsItsHandles(opened, kind)
      itRunsUnitsInIt(opened, kind)
    })
  }
  if (kinds.length === 0) return
  describe('a transaction of the host', () => itRefusesStrangers(eachOpened(open)))
  describe('a transaction of the store, handed to the host,', () => itLendsItsTransactions(eachOpened(open)))
}

function itKnowsWhatItCanJoin(opened: () => OpenedStore): void {
  it('is refused at once if the store cannot join its handle', () => {
    const { store } = opened()
    for (const native of [undefined, null, {}, 'BEGIN']) expect(() => store.join(native)).toThrow()
  })
}

function itCommitsOrVanishesWithIt(opened: () => OpenedStore, kind: string): void {
  it.each([
    ['commits', customer('ours'), ['after', 'before']],
    ['rolls back', undefined, []],
  ])(
    '%s what units of work in it have written together with the host’s own rows',
    async (end, ours, orders) => {
      const { store, transaction, joined } = await joinHost(opened(), kind)
      await transaction.order('before')
      await write(joined, 'ours')
      await transaction.order('after')
      expect(await find(store, here, 'customers', 'ours')).toBeUndefined()
      await (end === 'commits' ? transaction.commit() : transaction.rollback())
      expect(await find(store, here, 'customers', 'ours')).toEqual(ours)
      expect(await ordersOf(opened())).toEqual(orders)
    },
  )

  it('shows its own writes to the reads and the units of work in it', async () => {
    const { transaction, joined } = await joinHost(opened(), kind)
    await write(joined, 'first')
    const seen = await everyRow(joined, here, 'customers')
    expect(seen).toEqual([customer('first')])
    const again = await joined.transaction(here, async (tx) =>
      ok(await tx.customers.insertNew(customer('first'))),
    )
    expect(again.isOk() && again.value).toBe(false)
    await joined.transaction(here, async (tx) => {
      expect(await tx.customers.lock('first')).toEqual(customer('first'))
      await expect(tx.customers.update(customer('missing'))).rejects.toThrow()
      return err('refused')
    })
    await transaction.rollback()
  })

  it('keeps the values of every kind of column', async () => {
    const { store, transaction, joined } = await joinHost(opened(), kind)
    const payment = sampleRow('payments', here, 'pay', { amount: 99_999_999, metadata: { order: '1' } })
    await joined.transaction(here, async (tx) => ok(await tx.payments.insert(payment)))
    expect(await joined.read(here, (rows) => rows.payments.get('pay'))).toEqual(payment)
    await transaction.commit()
    expect(await find(store, here, 'payments', 'pay')).toEqual(payment)
  })
}

function itUndoesAUnitAlone(opened: () => OpenedStore, kind: string): void {
  it('undoes only the unit of work that gives Err', async () => {
    const { store, transaction, joined } = await joinHost(opened(), kind)
    await transaction.order('before')
    await write(joined, 'kept')
    const refused = await joined.transaction(here, async (tx) => {
      await tx.customers.insert(customer('refused'))
      await tx.customers.delete('kept')
      return err('refused')
    })
    expect(refused.isErr() && refused.error).toBe('refused')
    await write(joined, 'after')
    await transaction.commit()
    const page = await everyRow(store, here, 'customers')
    expect(page.map(({ id }) => id)).toEqual(['kept', 'after'])
    expect(await ordersOf(opened())).toEqual(['before'])
  })

  it('undoes only the unit of work that throws, even on an error of the database', async () => {
    const { store, transaction, joined } = await joinHost(opened(), kind)
    const fault = new Error('the listener is on fire')
    const thrown = async (work: (tx: Transaction) => Promise<void>) =>
      await joined.transaction(here, async (tx) => ok(await work(tx)))
    await expect(
      thrown(async (tx) => {
        await tx.customers.insert(customer('lost'))
        throw fault
      }),
    ).rejects.toBe(fault)
    await write(joined, 'kept')
    await expect(thrown(async (tx) => tx.customers.insert(customer('kept')))).rejects.toThrow()
    await transaction.order('after')
    await transaction.commit()
    expect(await find(store, here, 'customers', 'lost')).toBeUndefined()
    expect(await find(store, here, 'customers', 'kept')).toEqual(customer('kept'))
    expect(await ordersOf(opened())).toEqual(['after'])
  })

  it('runs a unit again if another one has taken what it inserts', async () => {
    const { store, transaction, joined } = await joinHost(opened(), kind)
    const claiming = (name: string, meanwhile: () => Promise<unknown>) => async (tx: Transaction) => {
      const seen = await tx.customers.lock('ours')
      if (seen) return err(seen.name)
      await meanwhile()
      await tx.customers.insert({ ...customer('ours'), name })
      return ok(name)
    }
    let other: Promise<Result<string, string>> | undefined
    const own = await joined.transaction(
      here,
      claiming('of the host', async () => {
        other ??= unit(store, here, claiming('another', turnOfTheLoop))
        // If writers wait for each other in this store, it waits for the host's transaction.
        await Promise.race([other, setTimeout(100)])
      }),
    )
    await transaction.commit()
    const winner = (await find(store, here, 'customers', 'ours'))?.name
    const same = (text: string) => text
    const told = [own, await other].map((outcome) => outcome?.match(same, same))
    expect(told).toEqual([winner, winner])
    expect(own.isOk()).not.toBe((await other)?.isOk())
  })

  it('keeps or undoes a nested unit with the unit around it', async () => {
    const { store, transaction, joined } = await joinHost(opened(), kind)
    for (const outcome of [err('refused'), ok(null)]) {
      await joined.transaction(here, async (tx) => {
        const nested = store.join(tx.native)
        await tx.customers.insert(customer(`outer, ${outcome.isOk()}`))
        await write(nested, `inner, ${outcome.isOk()}`)
        await nested.transaction(here, async (inner) => {
          await inner.customers.delete(`outer, ${outcome.isOk()}`)
          return err('refused')
        })
        const throwing = async () =>
          nested.transaction(here, () => Promise.reject(new Error('the listener is on fire')))
        await expect(throwing()).rejects.toThrow('on fire')
        return outcome
      })
    }
    await transaction.commit()
    const page = await everyRow(store, here, 'customers')
    expect(page.map(({ id }) => id)).toEqual(['outer, true', 'inner, true'])
  })

  it('replaces every column of a row that a unit has locked, even those that a nested unit has changed meanwhile', async () => {
    const { store, transaction, joined } = await joinHost(opened(), kind)
    const replace = (email: string) => async (tx: Transaction) => {
      const row = (await tx.customers.lock('ours')) ?? customer('ours')
      const changed = { ...row, name: 'changed inside' }
      await store
        .join(tx.native)
        .transaction(here, async (inner) => ok(await inner.customers.update(changed)))
      return ok(await tx.customers.update({ ...row, email }))
    }
    await write(joined, 'ours')
    await joined.transaction(here, replace('of a joined unit'))
    await transaction.commit()
    const committed = await find(store, here, 'customers', 'ours')
    expect(committed).toEqual({ ...customer('ours'), email: 'of a joined unit' })
    await store.transaction(here, replace('of the store’s own'))
    const replaced = await find(store, here, 'customers', 'ours')
    expect(replaced).toEqual({ ...customer('ours'), email: 'of the store’s own' })
  })
}

function itKnowsItsHandles(opened: () => OpenedStore, kind: string): void {
  it('is the `tx.native` of the units of work in it', async () => {
    const { transaction, joined } = await joinHost(opened(), kind)
    let native: unknown
    await joined.transaction(here, async (tx) => {
      native = tx.native
      return ok(null)
    })
    expect(native).toBe(transaction.native)
    await transaction.rollback()
  })

  it('rejects units and reads once it has ended', async () => {
    const { store, transaction, joined } = await joinHost(opened(), kind)
    await transaction.commit()
    await expect(write(joined, 'late')).rejects.toThrow()
    await expect(joined.read(here, (rows) => rows.customers.get('late'))).rejects.toThrow()
    expect(await find(store, here, 'customers', 'late')).toBeUndefined()
  })

  it('lets other units of the store proceed once it has ended', async () => {
    const { store, transaction, joined } = await joinHost(opened(), kind)
    const others = store.transaction(here, async (tx) => ok(await tx.customers.insert(customer('other'))))
    await write(joined, 'ours')
    await transaction.commit()
    expect((await others).isOk()).toBe(true)
    const page = await everyRow(store, here, 'customers')
    expect(page.map(({ id }) => id)).toEqual(['ours', 'other'])
  })
}

async function write(joined: JoinedStore, id: string): Promise<void> {
  const result = await joined.transaction(here, async (tx) => ok(await tx.customers.insert(customer(id))))
  if (result.isErr()) throw new Error('a unit that gave Ok was refused')
}

async function ordersOf({ host }: OpenedStore): Promise<string[]> {
  return [...((await host?.orders()) ?? [])].sort()
}
