import { expect, it } from 'vitest'
import { newCustomer } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { catalogue } from '../../src/errors/catalogue.ts'
import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'

type Refused = (sandbox: Sandbox) => Promise<Result<unknown, DomainError>>

const customer = { reference: 'taken', name: 'Ada', email: 'ada@example.com', phone: '' }
const nobody = { id: 'nobody' }

const cases: [what: string, refused: Refused][] = [
  ['an object that is not there', async ({ engine, scope }) => engine.admin.keys.revoke(scope, nobody)],
  ['a payment that is not there', async ({ engine, scope }) => engine.admin.payments.void(scope, nobody)],
  [
    'a state that does not allow it',
    async ({ engine, scope }) => {
      await engine.admin.customers.create(scope, customer)
      return engine.admin.customers.create(scope, customer)
    },
  ],
  [
    'an invoice in the wrong state',
    async (sandbox) => {
      const { admin } = sandbox.engine
      const dates = { invoice_date: '2026-11-01', due_date: '2026-12-01' }
      const billed = { customer: await newCustomer(sandbox), currency: 'USD' as const, total: 500 }
      const { id } = (await admin.invoices.draft(sandbox.scope, { ...billed, ...dates }))._unsafeUnwrap()
      return admin.invoices.cancel(sandbox.scope, { id })
    },
  ],
  [
    'a key that is malformed',
    async ({ engine, scope }) =>
      engine.admin.refunds.create(scope, { payment: 'nobody' }, { idempotency_key: 'a b' }),
  ],
]

it.each(cases)('a refusal of %s says so in the words that HTTP has for its code', async (_what, refused) => {
  const { code, message } = (await refused(await openSandbox()))._unsafeUnwrapErr()
  expect([code, message]).toEqual([code, catalogue[code][2]])
})
