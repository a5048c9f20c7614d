import { openSandbox } from '@quittance/testing'
import { expect, expectTypeOf, it } from 'vitest'

it('a refusal has the codes of its operation, and no others', async () => {
  const { engine, caller } = await openSandbox()
  const payment = 'pay_test_00000000aaaaaaaaaaaaaaaa'
  const read = (await engine.payments.retrieve(caller, { id: payment }))._unsafeUnwrapErr()
  expect(read.code).toBe('resource_missing')
  expectTypeOf(read.code).toEqualTypeOf<
    'parameter_invalid' | 'resource_missing' | 'publishable_key_not_allowed' | 'insufficient_scope'
  >()
  const refund = await engine.refunds.create(caller, { payment }, { idempotency_key: 'once' })
  const { code, extra } = refund._unsafeUnwrapErr()
  expect(code).toBe('resource_missing')
  expectTypeOf(extra?.failure_code).toEqualTypeOf<string | undefined>()
  type AmongOthers = 'refund_in_flight' | 'idempotency_key_reused' | 'card_declined'
  expectTypeOf(code).extract<AmongOthers>().toEqualTypeOf<'refund_in_flight' | 'idempotency_key_reused'>()
})
