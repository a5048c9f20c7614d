import { expect, it } from 'vitest'
import { fileEvent } from '../../src/events/file-event.ts'
import { ok } from '../../src/kernel/result.ts'
import { memoryStore } from '../../src/memory-store/memory-store.ts'
import { createIds } from '../../src/ports/ids.ts'

const scope = { workspace: 'w', livemode: false }

it('an event is listed by its own time, also where the unit that files it began before the one it came after', async () => {
  const store = memoryStore()
  const filed = (now: string, at: string) =>
    store.transaction(scope, async (tx) => {
      const unit = { tx, scope, now, ids: createIds(), sendAfterCommit() {} }
      return ok(
        await fileEvent(unit, {
          type: 'payment.succeeded',
          object: { object: 'payment', id: 'pay_test_1' },
          at,
        }),
      )
    })
  await filed('2026-02-01T12:00:00.005Z', '2026-02-01T12:00:00.005Z')
  await filed('2026-02-01T12:00:00.000Z', '2026-02-01T12:00:00.006Z')
  const listed = await store.read(scope, (rows) => rows.events.page({ where: {}, limit: 10 }))
  expect(listed.map(({ created_at }) => created_at)).toEqual([
    '2026-02-01T12:00:00.006Z',
    '2026-02-01T12:00:00.005Z',
  ])
})
