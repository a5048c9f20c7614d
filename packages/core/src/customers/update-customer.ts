import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { given } from '../kernel/given.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { customerFields } from './create-customer.ts'
import { customer } from './customer.ts'

const { name, email, phone } = customerFields

/** New contact details; fields left out are kept. The reference is the merchant's own and stays. */
export const updateCustomer = action({
  input: byId.extend({ name: name.optional(), email: email.optional(), phone: phone.optional() }),
  async run({ tx }, { id, ...fields }) {
    const found = await tx.customers.lock(id)
    if (!found) return fail('resource_missing')
    const next = { ...found, ...given(fields) }
    await tx.customers.update(next)
    return ok(render(customer, next))
  },
})
