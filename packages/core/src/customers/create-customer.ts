import type { Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { fail } from '../errors/domain-error.ts'
import { type CustomerRow, customer } from './customer.ts'

/** A new customer, as the dashboard and the sync create them; `conflict` where the reference is taken. */
export async function createCustomer(
  { tx, scope, ids, now }: Unit,
  input: Pick<CustomerRow, 'reference' | 'name' | 'email' | 'phone'>,
) {
  const row: CustomerRow = { ...scope, id: ids.uuid(Date.parse(now)), ...input, created_at: now }
  return (await tx.customers.insertNew(row)) ? ok(render(customer, row)) : fail('conflict')
}
