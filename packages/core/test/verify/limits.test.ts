import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { type Rows, readRows } from '../../../testing/src/invariants/rows.ts'
import { verify } from '../../src/engine/verify/verify.ts'
import { day_ms, iso, shifted } from '../../src/schema/timestamps.ts'
import { testedStore } from '../stores/tested-store.ts'
import { type Breach, breach } from './breach.ts'
import { corrupt } from './corrupt.ts'
import { sellEverything } from './sold-out.ts'

const two_years_ms = 2 * 366 * day_ms
const month_ms = 31 * day_ms
const processing = { of: { status: 'processing' } } as const

/** Rows at a limit, and some milliseconds beyond it. */
const limits: [what: string, at: (now: string, beyond_ms: number) => Breach][] = [
  [
    'due for a day',
    (now, beyond_ms) =>
      breach('M53', 'payments', '', { ...processing, change: { due_at: shifted(now, -day_ms - beyond_ms) } }),
  ],
  [
    'due in two years',
    (now, beyond_ms) =>
      breach('M53', 'payments', '', {
        ...processing,
        change: { due_at: shifted(now, two_years_ms + beyond_ms) },
      }),
  ],
  [
    'due two years after an attempt that the clock has not come to yet',
    (now, beyond_ms) =>
      breach('M53', 'deliveries', '', {
        of: { status: 'pending', attempt_count: 1 },
        change: {
          last_attempt_at: shifted(now, day_ms),
          next_attempt_at: shifted(now, day_ms + two_years_ms + beyond_ms),
        },
      }),
  ],
  [
    'attempted a month before it was made',
    (_, beyond_ms) =>
      breach('M35', 'deliveries', '', {
        of: { status: 'succeeded' },
        change: ({ created_at }) => ({ last_attempt_at: shifted(created_at, -month_ms - beyond_ms) }),
      }),
  ],
  [
    'refunded a month before it succeeded',
    (_, beyond_ms) =>
      breach('M16', 'refunds', '', {
        of: { status: 'succeeded' },
        change: ({ created_at }) => ({ created_at: shifted(created_at, -month_ms - beyond_ms) }),
      }),
  ],
]

describe('the check of a database', () => {
  let sandbox: Sandbox
  let rows: Rows

  beforeAll(async () => {
    sandbox = await openSandbox({ store: await testedStore().open() })
    await sellEverything(sandbox)
    rows = await readRows(sandbox.store, sandbox.scope)
  })
  afterAll(() => sandbox.store.close())

  it.each(limits)('takes what is %s for right, and a millisecond more for wrong', async (_, at) => {
    const now = iso(sandbox.clock.now())
    for (const beyond_ms of [0, 1]) {
      const wrong = at(now, beyond_ms)
      const undo = await corrupt(sandbox, rows, wrong)
      const { violations } = await sandbox.engine.verify()
      await undo()
      const found = violations.filter(({ invariant }) => invariant === wrong.invariant)
      expect(found.map(({ table }) => table)).toEqual(beyond_ms === 0 ? [] : [wrong.table])
    }
  })

  it('finds nothing where the clock was set back by years', async () => {
    const now = shifted(iso(sandbox.clock.now()), -2 * two_years_ms)
    expect((await verify({ store: sandbox.store, now })).violations).toEqual([])
  })
})
