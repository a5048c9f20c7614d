import { memoryStore } from '@quittance/core'
import { expect, it } from 'vitest'
import { check } from '../../src/engine/verify/check.ts'
import { tallied } from '../../src/engine/verify/tally.ts'

const scope = { workspace: 'ws', livemode: false }
const slice = { after: undefined, page_rows: 1, slice_rows: 1 }

// It was told that there are none, and so reported nothing.
it.each(['announced', 'paymentsOn', 'keysOf'] as const)(
  'a rule may not look up what its table does not list: %s',
  async (name) => {
    const related_of = async (listed: readonly (typeof name)[]) =>
      (await tallied({ store: memoryStore(), scope, check: check('invoices', listed) }, slice)).related
    await expect(async () => (await related_of([]))[name]('inv')).rejects.toThrow(
      `The rules of invoices ask for ${name}, and the table does not list it.`,
    )
    expect(await (await related_of([name]))[name]('inv')).toEqual([])
  },
)
