import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'

/** What a request was refused with: its code, and the parameter it names. */
export function refusal(result: Result<unknown, DomainError>): Pick<DomainError, 'code' | 'param'> {
  if (result.isOk()) throw new Error(`accepted: ${JSON.stringify(result.value)}`)
  const { code, param } = result.error
  return param === undefined ? { code } : { code, param }
}
