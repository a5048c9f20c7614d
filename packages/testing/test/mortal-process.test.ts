import { expect, it } from 'vitest'
import { heldProcessor, mortalProcess, openSandbox } from '../src/index.ts'

const at = '2026-01-31T12:00:00.000Z'
const charge = {
  key: 'acme.pay',
  token: 'tok_test_visa',
  type: 'card',
  amount: 100,
  currency: 'USD',
  at,
} as const

it('a process that is killed gets no answer, not even to the charge that was on its way', async () => {
  const { store, processor } = await openSandbox()
  const gate = heldProcessor(processor, 'before')
  const mortal = mortalProcess({ store, processor: gate.processor })
  const answered: string[] = []
  const charging = mortal.processor.charge(charge)
  void Promise.resolve(charging).then(() => answered.push('the charge'))
  await gate.held
  mortal.kill()
  void Promise.resolve(mortal.store.workspaces({ limit: 1 })).then(() => answered.push('the store'))
  gate.release()
  await mortal.quiet()
  await new Promise((resolve) => setImmediate(resolve))
  expect(await mortal.died).toMatchObject({ n: 1 })
  expect([mortal.isDead(), mortal.calls(), answered]).toEqual([true, 1, []])
  expect(processor.ledger.charges()).toHaveLength(1)
})
