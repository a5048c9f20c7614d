import { expect, it } from 'vitest'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { ok } from '../../src/kernel/result.ts'
import type { Store } from '../../src/ports/store.ts'
import { iso } from '../../src/schema/timestamps.ts'
import { freshStore } from '../stores/tested-store.ts'

/** Stores a key that was answered, and is to be forgotten now. */
function overdue({ store, scope, clock }: Sandbox, id: string) {
  const at = iso(clock.now())
  const key = { id, operation: 'payments.create', fingerprint: '', request_id: '', intent: null }
  const answer = { answer_status: 200, answer_body: '{}', answer_event: null, lease_until: null }
  return store.transaction(scope, async ({ idempotency_keys }) => {
    await idempotency_keys.insert({ ...scope, ...key, ...answer, created_at: at, due_at: at })
    return ok(null)
  })
}

// It went on for as long as there was always another row, did not try again what had failed, and kept the names of all.
it('a pass ends though something falls due all the time', async () => {
  const store = await freshStore()
  let asked = 0
  const due: Store['due'] = async (request) => {
    asked += 1
    if (asked > 50) throw new Error('asked for ever')
    sandbox.clock.advance(1)
    await overdue(sandbox, `key_${asked}`)
    return store.due(request)
  }
  const sandbox = await openSandbox({ store })
  await overdue(sandbox, 'key_0')
  const busy = sandbox.another({ store: { ...store, due } })
  await busy.engine.reconcile()
  const left = () =>
    store.read(sandbox.scope, (rows) => rows.idempotency_keys.page({ where: {}, limit: 100 }))
  expect((await left()).map(({ id }) => id)).not.toContain('key_0')
  await sandbox.engine.reconcile()
  expect(await left()).toEqual([])
})
