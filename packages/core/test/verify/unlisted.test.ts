import { memoryStore } from '@quittance/core'
import { expect, it } from 'vitest'
import { here, seed } from '../../../testing/src/store/opened.ts'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import { check } from '../../src/engine/verify/check.ts'

const none = { announced: async () => [], paymentsOn: async () => [], keysOf: async () => [] }

// It was told that there are none, and so reported nothing.
it.each(['announced', 'paymentsOn', 'keysOf'] as const)(
  'a rule may not look up what its table does not list: %s',
  async (name) => {
    const store = memoryStore()
    await seed(store, here, [['invoices', sampleRow('invoices', here, 'inv')]])
    const judged = (listed: readonly (typeof name)[]) => {
      const { page } = check('invoices', listed, async ({ id }, around) => void (await around[name](id)))
      const now = '2026-01-01T00:00:00.000Z'
      return store.read(here, (rows) =>
        page({ rows, now, opened: () => null, ...none }, { after: undefined, limit: 1 }),
      )
    }
    await expect(judged([])).rejects.toThrow(
      `The rules of invoices ask for ${name}, and the table does not list it.`,
    )
    expect(await judged([name])).toEqual([{ id: 'inv', broken: [] }])
  },
)
