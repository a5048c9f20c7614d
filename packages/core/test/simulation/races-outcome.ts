import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'

/** How a request came out: `ok`, or the code it was refused with. */
export function codeOf(result: Result<unknown, DomainError>): string {
  return result.isOk() ? 'ok' : result.error.code
}

/** The key under which the processor knows a payment or a refund. */
export function processorKeyOf({ scope }: Sandbox, id: string): string {
  return `${scope.workspace}.${id}`
}
