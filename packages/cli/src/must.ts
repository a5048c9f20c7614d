import type { DomainError, Result } from '@quittance/core'

/** The value of a result that the development server's own engine must not refuse. */
export function must<Value>(result: Result<Value, DomainError>): Value {
  if (result.isErr()) throw new Error(`The development server was refused: ${result.error.code}.`)
  return result.value
}
