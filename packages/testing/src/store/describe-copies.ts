import type { Reads } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { claimRequest, seedQueue } from './claiming.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, find, here, seed } from './opened.ts'
import { sampleRow } from './sample-row.ts'

const payment = () => sampleRow('payments', here, 'pay', { metadata: { order: '1' } })

/** Rows are kept apart from the objects that go in and come out. */
export function describeCopies(open: OpenStore): void {
  describe('a row stays as it was written', () => {
    const opened = eachOpened(open)
    itIsNotWhatWasGiven(opened)
    itIsNotWhatComesOut(opened)
  })
}

function itIsNotWhatWasGiven(opened: () => OpenedStore): void {
  it.each(['insert', 'insertNew', 'update'] as const)(
    'when the caller of %s changes its object afterwards',
    async (write) => {
      const { store } = opened()
      if (write === 'update') await seed(store, here, [['payments', { ...payment(), amount: 7 }]])
      await commit(store, here, async ({ payments }) => {
        const row = payment()
        await payments[write](row)
        deface(row)
        expect(await payments.get('pay')).toEqual(payment())
      })
      expect(await find(store, here, 'payments', 'pay')).toEqual(payment())
    },
  )
}

function itIsNotWhatComesOut(opened: () => OpenedStore): void {
  it.each([
    ['get', ({ payments }: Reads) => payments.get('pay')],
    ['page', async ({ payments }: Reads) => (await payments.page({ where: {}, limit: 1 }))[0]],
  ] as const)('when the caller of %s changes what it got', async (_, look) => {
    const { store } = opened()
    await seed(store, here, [['payments', payment()]])
    await store.read(here, async (rows) => deface(await look(rows)))
    await commit(store, here, async (tx) => {
      deface(await look(tx))
      deface(await tx.payments.lock('pay'))
      expect(await look(tx)).toEqual(payment())
      await tx.payments.update(payment())
      deface(await look(tx))
    })
    expect(await find(store, here, 'payments', 'pay')).toEqual(payment())
  })

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

  it('when whoever asked for a key tries to change what it got', async () => {
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

/** Changes whatever can be changed of it: an object that is shared may be frozen. */
function deface(given: object | undefined): void {
  if (given === undefined) throw new Error('a row that was inserted is not there')
  for (const [column, value] of Object.entries(given)) {
    if (typeof value === 'object' && value !== null) deface(value)
    Reflect.set(given, column, 'defaced')
  }
  Reflect.set(given, 'one more', 'defaced')
}
