import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { referenceText } from '../schema/text.ts'
import { type CustomerRow, customer } from './customer.ts'

const text = z.string().max(500)

/** What a customer is made of. */
export const customerFields = { reference: referenceText, name: text, email: text, phone: text }

/** A new customer; `conflict` if the reference is taken. */
export const createCustomer = action({
  input: z.strictObject(customerFields),
  async run({ tx, scope, ids, now }, input) {
    const row: CustomerRow = { ...scope, id: ids.uuid(Date.parse(now)), ...input, created_at: now }
    return (await tx.customers.insertNew(row)) ? ok(render(customer, row)) : fail('conflict')
  },
})
