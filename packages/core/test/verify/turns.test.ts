import { expect, it } from 'vitest'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { verify } from '../../src/engine/verify/verify.ts'
import type { Page, Store } from '../../src/ports/store.ts'
import { iso } from '../../src/schema/timestamps.ts'

// In memory all that falls due was read in one turn: with 15,000 payments everything else stood still for over a second.
it('the check of a database lets other work run between two pages', async () => {
  const sandbox = await openSandbox()
  for (let payments = 0; payments < 5; payments += 1) accepted(await pay(sandbox, 'tok_test_visa'))
  const pages = { due: turns(), payments: turns(), events: turns() }
  const store: Store = {
    ...sandbox.store,
    due(request) {
      pages.due.count()
      return sandbox.store.due(request)
    },
    read: (scope, work) =>
      sandbox.store.read(scope, (rows) => {
        const counted = (name: 'payments' | 'events') => ({
          value: {
            get: (id: string) => rows[name].get(id),
            page(request: Page<never>) {
              pages[name].count()
              return rows[name].page(request)
            },
          },
        })
        return work(Object.create(rows, { payments: counted('payments'), events: counted('events') }))
      }),
  }
  const now = iso(sandbox.clock.now())
  const { violations } = await verify({ store, now, sizes: { page_rows: 2, slice_rows: 8 } })
  expect(violations).toEqual([])
  for (const { calls, most } of Object.values(pages)) {
    expect(calls).toBeGreaterThan(2)
    expect(most).toBe(1)
  }
})

/** Counts calls, and the most in one turn of the event loop. */
function turns() {
  let in_turn = 0
  const turns = {
    calls: 0,
    most: 0,
    count() {
      turns.calls += 1
      in_turn += 1
      turns.most = Math.max(turns.most, in_turn)
      setImmediate(() => {
        in_turn = 0
      })
    },
  }
  return turns
}
