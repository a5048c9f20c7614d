import { type DomainError, fail } from '../../errors/domain-error.ts'
import type { Asked, Caller, Operation, TestHelperOperation } from '../../kernel/operation.ts'
import type { Result } from '../../kernel/result.ts'
import type { Scope } from '../../ports/store.ts'
import type { OperationName } from '../operations.ts'
import type { TestHelperName } from '../sandbox/helper-names.ts'
import { parseInput } from './parameters.ts'
import { findPaymentDetails, findPaymentDetailsInText } from './payment-details.ts'

/** A request for one operation, whatever carried it. */
export interface OperationRequest {
  operation: OperationName | TestHelperName
  caller: Caller
  /**
   * Path, query and body parameters in one object; or why they cannot be read, with the body, parsed or as text,
   * which is still searched for payment details.
   */
  input: Result<unknown, { message: string; param?: string; body?: unknown; text?: string }>
  request_id: string
  idempotency_key?: string | undefined
  /** What makes two requests the same: a digest of method, path and canonical body; in the library, of operation and input. */
  fingerprint: string
}

/** A request under a key. Its input has been validated, or says why not. */
export type Keyed = Omit<OperationRequest, 'input' | 'idempotency_key'> & {
  input: Result<unknown, DomainError>
  idempotency_key: string
}

/** The validated input. Card or account details in the clear are refused first, whatever else is wrong with it. */
export function readInput(operation: Operation | TestHelperOperation, { input }: OperationRequest) {
  if (input.isErr()) {
    const { body, text = '', ...detail } = input.error
    const found = operation.refuses ? (findPaymentDetails(body) ?? findPaymentDetailsInText(text)) : null
    return found ?? fail('parameter_invalid', detail)
  }
  const found = operation.refuses ? findPaymentDetails(input.value) : null
  return found ?? parseInput(operation.input, input.value)
}

export function askedBy<Work extends object>(caller: Caller, work: Work): Asked<Work> {
  return { ...work, caller }
}

export function scopeOf({ workspace, livemode }: Caller): Scope {
  return { workspace: workspace.id, livemode }
}
