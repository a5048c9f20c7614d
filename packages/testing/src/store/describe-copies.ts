import { type ReadTable, shifted } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { claimRequest, seedQueue } from './claiming.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, find, here, reading, seed, writing } from './opened.ts'
import { type AnyRow, at, sampleRow } from './sample-row.ts'

const link = { id: 'link', created_at: at, expires_at: null, revoked_at: null }

/** A row with an object in it, and one with objects in an array. */
const nested = [
  { table: 'payments', row: () => sampleRow('payments', here, 'row', { metadata: { order: '1' } }) },
  { table: 'invoices', row: () => sampleRow('invoices', here, 'row', { links: [{ ...link }] }) },
] as const

const looks = [
  { call: 'get', look: (table: ReadTable<AnyRow>) => table.get('row') },
  {
    call: 'page',
    look: async (table: ReadTable<AnyRow>) => (await table.page({ where: {}, limit: 1 }))[0],
  },
]

/** Stored rows share nothing with the objects that go in and come out. */
export function describeCopies(open: OpenStore): void {
  describe('a row stays as it was written', () => {
    const opened = eachOpened(open)
    itIsNotWhatWasGiven(opened)
    itIsNotWhatBecameOfIt(opened)
    itIsNotWhatComesOut(opened)
    itIsNotWhatOthersGive(opened)
  })
}

function itIsNotWhatWasGiven(opened: () => OpenedStore): void {
  const writes = (['insert', 'insertNew', 'update'] as const).flatMap((write) =>
    nested.map((one) => ({ write, ...one })),
  )
  it.each(writes)(
    'when the caller of $write changes its row of $table afterwards',
    async ({ write, table, row }) => {
      const { store } = opened()
      if (write === 'update') await seed(store, here, [[table, { ...row(), created_at: shifted(at, 1) }]])
      await commit(store, here, async (tx) => {
        const given = row()
        await writing(tx, table)[write](given)
        deface(given)
        expect(await writing(tx, table).get('row')).toEqual(row())
      })
      expect(await find(store, here, table, 'row')).toEqual(row())
    },
  )
}

function itIsNotWhatBecameOfIt(opened: () => OpenedStore): void {
  it.each(['insert', 'insertNew', 'update'] as const)(
    'when the caller of %s changes its row during the call',
    async (write) => {
      const { store } = opened()
      const row = sampleRow('payments', here, 'row', { description: 'given', metadata: { order: '1' } })
      if (write === 'update') await seed(store, here, [['payments', { ...row, description: 'before' }]])
      const changes = { description: 'changed', metadata: { order: '2' } }
      await commit(store, here, async ({ payments }) => {
        const given = structuredClone(row)
        const writing = payments[write](given)
        Object.assign(given, changes)
        await writing
        expect(await payments.get('row')).toEqual(row)
        // A store that writes only what differs must not mistake this object for its own row.
        await payments.update(given)
      })
      expect(await find(store, here, 'payments', 'row')).toEqual({ ...row, ...changes })
    },
  )
}

function itIsNotWhatComesOut(opened: () => OpenedStore): void {
  const all = looks.flatMap((one) => nested.map((other) => ({ ...one, ...other })))
  it.each(all)('when the caller of $call changes what it got of $table', async ({ look, table, row }) => {
    const { store } = opened()
    await seed(store, here, [[table, row()]])
    await store.read(here, async (rows) => deface(await look(reading(rows, table))))
    await commit(store, here, async (tx) => {
      const rows = writing(tx, table)
      deface(await look(rows))
      deface(await rows.lock('row'))
      expect(await look(rows)).toEqual(row())
      await rows.update(row())
      deface(await look(rows))
    })
    expect(await find(store, here, table, 'row')).toEqual(row())
  })
}

function itIsNotWhatOthersGive(opened: () => OpenedStore): void {
  it('when the caller of a claim changes what it got', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [0])
    const endpoint = await find(store, here, 'webhook_endpoints', 'we')
    const [claimed] = await store.claimDeliveries(claimRequest)
    const delivery = { ...claimed?.delivery }
    deface(claimed)
    expect(await find(store, here, 'deliveries', 'we 00')).toEqual(delivery)
    expect(await find(store, here, 'webhook_endpoints', 'we')).toEqual(endpoint)
  })

  it('when the caller of `findApiKey` changes what it got', async () => {
    const { store } = opened()
    const key = sampleRow('api_keys', here, 'key', { scopes: ['payments:read'] })
    const workspace = sampleRow('workspaces', here, here.workspace)
    await seed(store, here, [
      ['api_keys', key],
      ['workspaces', workspace],
    ])
    for (let times = 0; times < 3; times += 1) {
      const found = await store.findApiKey(key.hash)
      expect(found).toEqual({ key, workspace })
      deface(found)
    }
    expect(await find(store, here, 'api_keys', 'key')).toEqual(key)
  })
}

/** Changes everything in it that can be changed: a shared object may be frozen. */
function deface(given: object | undefined): void {
  if (given === undefined) throw new Error('a row that was inserted is not there')
  for (const [column, value] of Object.entries(given)) {
    if (typeof value === 'object' && value !== null) deface(value)
    Reflect.set(given, column, 'defaced')
  }
  Reflect.set(given, 'one more', 'defaced')
}
