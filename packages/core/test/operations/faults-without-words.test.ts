import { startReconciler } from '@quittance/core'
import { expect, it, vi } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { openCheckout } from '../../../testing/src/builders/sales.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { guardNotifier } from '../../src/engine/guarded-notifier.ts'

/** As a namespace of a module, or the groups of a match: `String` throws for it. */
const wordless = Object.create(null)

function recording() {
  const logged: { message: string; fault?: unknown }[] = []
  const log = (message: string, fields?: object) => void logged.push({ message, ...fields })
  return { logged, logger: { info: log, warn: log, error: log } }
}

it('a listener that throws what has no words holds up only its own row', async () => {
  const { logged, logger } = recording()
  const expired = () => {
    throw wordless
  }
  const sandbox = await openSandbox({ logger, on: { 'checkout_session.expired': expired } })
  await openCheckout(sandbox, { expires_in: 1800 })
  const { id } = accepted(await pay(sandbox, 'btok_test_success'))
  sandbox.clock.advance(1_800_000)
  await sandbox.engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
  expect(logged).toMatchObject([
    { message: 'a due row could not be reconciled', fault: 'a fault without words' },
  ])
})

it('a reconciler goes on though a pass rejects with what has no words', async () => {
  const { logged, logger } = recording()
  const { engine, clock } = await openSandbox({ logger })
  const reconcile = vi.fn(() => Promise.reject(wordless))
  const reconciler = startReconciler({ ...engine, reconcile })
  await new Promise(setImmediate)
  clock.advance(1_000)
  await reconciler.stop()
  expect(reconcile).toHaveBeenCalledTimes(2)
  expect(logged[0]).toEqual({ message: 'reconciling failed', fault: 'a fault without words' })
})

it('a notifier may reject with what has no words', async () => {
  const { logged, logger } = recording()
  const notifier = guardNotifier({ syncFinished: () => Promise.reject(wordless) }, logger)
  await notifier.syncFinished({} as never)
  expect(logged).toEqual([{ message: 'the notifier failed', fault: 'a fault without words' }])
})
