import { openSandbox } from '@quittance/testing'
import { expect, it } from 'vitest'

it('an input that JSON could not say is refused, under a key too, and not thrown', async () => {
  const { engine, caller } = await openSandbox()
  const create = engine.payments.create as (
    ...given: unknown[]
  ) => PromiseLike<{ _unsafeUnwrapErr(): { code: string; param?: string; message: string } }>
  const refusalOf = async (idempotency_key: string, input: object) =>
    (await create(caller, input, { idempotency_key }))._unsafeUnwrapErr()
  const itself: Record<string, unknown> = { currency: 'usd' }
  itself.metadata = { order: itself }
  expect(await refusalOf('itself', itself)).toMatchObject({
    code: 'parameter_invalid',
    message: 'The input is nested deeper than 32 levels.',
  })
  expect(await refusalOf('bigint', { amount: 100n, currency: 'usd' })).toMatchObject({
    code: 'parameter_invalid',
    param: 'amount',
  })
})
