import { startReconciler } from '@quittance/core'
import { expect, it, vi } from 'vitest'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'

it.each([
  ['throws', () => fail()],
  ['rejects', async () => fail()],
])('a logger that %s changes no answer and ends no reconciler', async (_, log) => {
  const sandbox = await openSandbox({ logger: { info: log, warn: log, error: log } })
  const charge = () => Promise.reject(new Error('no answer'))
  const { engine, ...faulty } = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge }))
  expect(accepted(await pay({ ...faulty, engine }, 'tok_test_visa')).status).toBe('processing')

  const reconcile = vi.fn(() => Promise.reject(new Error('the store is away')))
  const reconciler = startReconciler({ ...engine, reconcile })
  for (let pass = 1; pass <= 2; pass += 1) {
    await vi.waitFor(() => expect(reconcile).toHaveBeenCalledTimes(pass))
    await new Promise(setImmediate)
    sandbox.clock.advance(1_000)
  }
  await reconciler.stop()
})

function fail(): never {
  throw new Error('the disk is full')
}
