import type { DomainError, Result } from '@quittance/core'

/** The value of what the development server asks of its own engine. */
export function must<Value>(result: Result<Value, DomainError>): Value {
  if (result.isErr()) throw new Error(`The development server was refused: ${result.error.code}.`)
  return result.value
}
