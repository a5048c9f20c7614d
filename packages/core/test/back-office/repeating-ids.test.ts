import { expect, it } from 'vitest'
import { createIds } from '../../src/index.ts'
import { customerOf, invoiceOf, many, openSynced } from './ledger-sync.ts'

const content = {
  customers: many(2, (index) => customerOf(index)),
  invoices: many(2, (index) => invoiceOf(index)),
}

/** From `repeat` on, every UUID is the same. */
async function openRepeating() {
  const ids = createIds()
  let repeated: string | undefined
  const uuid = (at_ms: number) => repeated ?? ids.uuid(at_ms)
  const synced = await openSynced(content, { ids: { ...ids, uuid } })
  const repeat = () => {
    repeated = ids.uuid(synced.clock.now())
  }
  return { ...synced, repeat }
}

// It never ended, nor did anything else on its store: in memory and on SQLite the whole process stood still.
it.each(['sync_customer', 'sync_invoice'])(
  'a %s ends although the ids of the host repeat',
  async (jobType) => {
    const synced = await openRepeating()
    synced.repeat()
    await expect(synced.ask({ jobType })).rejects.toThrow('the `ids` of the engine repeat')
    expect(await synced.engine.verify()).toMatchObject({ violations: [] })
  },
)

it('a second sync is not begun under the id of the first', async () => {
  const synced = await openRepeating()
  await synced.ask()
  synced.repeat()
  await synced.ask({ invoiceIds: ['I-0009'] })
  await expect(synced.ask({ invoiceIds: ['I-0010'] })).rejects.toThrow('the `ids` of the engine repeat')
})
