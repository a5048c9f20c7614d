import { accepted } from '../../../testing/src/builders/requests.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'

/** What a request was refused with: its code, and the parameter it names. */
export function refusal(result: Result<unknown, DomainError>): Pick<DomainError, 'code' | 'param'> {
  if (result.isOk()) throw new Error(`accepted: ${JSON.stringify(result.value)}`)
  const { code, param } = result.error
  return param === undefined ? { code } : { code, param }
}

let created = 0

/** The id of a new customer. */
export async function createdCustomer({ engine, scope }: Sandbox): Promise<string> {
  created += 1
  const input = { reference: `customer ${created}`, name: 'Ada', email: 'ada@example.com', phone: '' }
  return accepted(await engine.admin.customers.create(scope, input)).id
}
