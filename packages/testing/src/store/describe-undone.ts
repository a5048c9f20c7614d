import { err, type Store, type Tables, type Transaction } from '@quittance/core'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { claim, delivery, idsOf, minute, seedQueue } from './claiming.ts'
import type { OpenedStore } from './open-store.ts'
import { here, seed, unit } from './opened.ts'
import { at, sampleRow } from './sample-row.ts'

const payment = (id: string, columns: Partial<Tables['payments']> = {}) =>
  sampleRow('payments', here, id, { status: 'processing', ...columns })
const kept = payment('kept', { due_at: minute(9) })
const workspace = sampleRow('workspaces', here, here.workspace)
const key = sampleRow('api_keys', here, 'key')
const customer = sampleRow('customers', here, 'new', { reference: 'taken' })

/** Nothing that a unit without Ok wrote may be found: a store may keep more of a row than the row itself. */
export function itLeavesNothing(opened: () => OpenedStore): void {
  it.each(['gave Err', 'threw'])('leaves nothing behind, wherever one looks, once it %s', async (end) => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [0])
    await seed(store, here, [['payments', kept]])
    const ended = unit(store, here, async (tx) => {
      await writeEverywhere(tx)
      if (end === 'threw') throw new Error('in the end')
      return err('refused')
    })
    await Promise.allSettled([ended])
    await expectUntouched(store)
    // All unique values that it took are free again.
    await seed(store, here, [
      ['workspaces', workspace],
      ['api_keys', key],
      ['customers', customer],
      ['payments', payment('new')],
    ])
  })
}

async function writeEverywhere(tx: Transaction): Promise<void> {
  await tx.payments.insert(payment('new', { due_at: minute(1) }))
  await tx.payments.update({ ...kept, status: 'succeeded', due_at: minute(2) })
  await tx.workspaces.insert(workspace)
  await tx.api_keys.insert(key)
  await tx.customers.insertNew(customer)
  const filed = await tx.deliveries.lock('we 00')
  if (filed === undefined) throw new Error('a delivery that was inserted is not there')
  await tx.deliveries.update({ ...filed, status: 'canceled', next_attempt_at: null })
  await tx.deliveries.insert(delivery(here, 'we', 'never filed', { next_attempt_at: minute(-1) }))
  await tx.webhook_endpoints.delete('we')
}

async function expectUntouched(store: Store): Promise<void> {
  const due = [{ table: 'payments', ...here, id: 'kept', due_at: minute(9) }]
  expect(await store.due({ at: minute(99), after: null, limit: 9 })).toEqual(due)
  expect(await store.nextDue(null)).toEqual({ row: minute(9), delivery: at })
  expect(await store.workspaces({ limit: 9 })).toEqual([])
  expect(await store.findApiKey(key.hash)).toBeUndefined()
  await store.read(here, async ({ payments, webhook_endpoints }) => {
    expect(await payments.page({ where: { status: 'processing' }, limit: 9 })).toEqual([kept])
    expect(await payments.page({ where: { status: 'succeeded' }, limit: 9 })).toEqual([])
    expect(await webhook_endpoints.page({ where: {}, limit: 9 })).toHaveLength(1)
  })
  expect(idsOf(await claim(store))).toEqual(['we 00'])
}
