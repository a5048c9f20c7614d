import { fileLedger } from '@quittance/processor-simulator'
import { openSandbox } from '@quittance/testing'
import { expect, it } from 'vitest'

it('a call without its arguments, as JavaScript lets through, says what it needs', async () => {
  const { engine, scope } = await openSandbox()
  const { caller, admin } = engine as unknown as Record<'caller', () => Promise<never>> & {
    admin: { keys: { create(by?: object): PromiseLike<{ _unsafeUnwrapErr(): object }>; list(): never } }
  }
  await expect(caller()).rejects.toThrow('A scope has a `workspace`, which is an id, and a `livemode`')
  await expect(admin.keys.list()).rejects.toThrow('A scope has a `workspace`')
  const refused = (await admin.keys.create(scope))._unsafeUnwrapErr()
  expect(refused).toMatchObject({ code: 'parameter_invalid', param: 'type' })
  const path = undefined as unknown as string
  expect(() => fileLedger(path)).toThrow('A file ledger needs the `path` of its file.')
})
