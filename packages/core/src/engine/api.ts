import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { DomainError, errorBody } from '../errors/domain-error.ts'
import { canonicalJson } from '../kernel/canonical-json.ts'
import { given } from '../kernel/given.ts'
import type { Caller, Operation } from '../kernel/operation.ts'
import { option, refuseWrongOptions } from '../kernel/refuse-wrong-options.ts'
import { err, ok, ResultAsync } from '../kernel/result.ts'
import { newRequestId } from '../ports/ids.ts'
import { calledByName } from './called-by-name.ts'
import { type OperationName, operations } from './operations.ts'
import type { Answer } from './request/answer.ts'
import { execute } from './request/execute.ts'
import type { OperationRequest } from './request/request.ts'
import type { UnitServices } from './services.ts'

type Operations = typeof operations

/** Every operation as a function of the library: `engine.payments.create(caller, input, { idempotency_key })`. */
export type Api = {
  readonly [Resource in keyof Operations]: {
    readonly [Verb in keyof Operations[Resource]]: Callable<Operations[Resource][Verb]>
  }
}

/** The operations that do not call the processor, and so can run in a transaction of the host. */
export type JoinedApi = {
  readonly [Resource in keyof Operations]: {
    readonly [Verb in keyof Operations[Resource] as Operations[Resource][Verb] extends { kind: 'remote' }
      ? never
      : Verb]: Callable<Operations[Resource][Verb]>
  }
}

type Callable<Operation> = Operation extends {
  kind: infer Kind
  input: infer Input extends z.ZodType
  output: infer Output extends z.ZodType
  errors: readonly (infer Code extends ErrorCode)[]
}
  ? (
      caller: Caller,
      input: z.input<Input>,
      ...options: Operation extends { idempotency_key: 'required' }
        ? [CallOptions & { idempotency_key: string }]
        : [CallOptions?]
    ) => ResultAsync<
      z.output<Output>,
      DomainError<Code | CallCode | (Kind extends 'query' ? never : WriteCode)>
    >
  : never

/** What any call can be refused with, besides the codes of its operation. */
type CallCode =
  | 'parameter_invalid'
  | 'resource_missing'
  | 'publishable_key_not_allowed'
  | 'insufficient_scope'

/** The same for calls that write. A fault is `internal_error` if it is stored under a key; otherwise the call rejects. */
type WriteCode =
  | Extract<ErrorCode, `idempotency_key_${string}` | `${string}_not_tokenized`>
  | 'internal_error'

export interface CallOptions {
  /** As the header of the same name; `payments.create` and `refunds.create` need one. */
  idempotency_key?: string | undefined
}

export function createApi(services: UnitServices): Api {
  return calledByName<Operation>(operations, (name, { kind }) =>
    operationFunction(services, name as OperationName, (request) => {
      if (services.joined && kind === 'remote') throw asksProcessor(name)
      return execute(services, request)
    }),
  ) as Api
}

/** Runs the way an HTTP request does, so that both get the same response. */
export function operationFunction(
  { ids }: Pick<UnitServices, 'ids'>,
  operation: OperationRequest['operation'],
  run: (request: OperationRequest) => Promise<Answer>,
) {
  return (
    caller: Caller,
    input: object = {},
    options: CallOptions = {},
  ): ResultAsync<unknown, DomainError> => {
    // With a misspelled `idempotency_key` each retry would charge again.
    refuseWrongOptions(operation, options, { idempotency_key: option.text })
    const { idempotency_key } = options
    const asked = isDeeper(input, depth_limit) ? too_deep : ok(input)
    const fingerprint =
      idempotency_key === undefined
        ? ''
        : hash('sha256', `${operation}\n${asked.isOk() ? canonicalJson(asked.value) : ''}`)
    const request_id = newRequestId(ids)
    const answered = run({
      operation,
      caller,
      input: asked,
      request_id,
      idempotency_key,
      fingerprint,
    })
    return new ResultAsync(
      answered.then(({ body }) => {
        const answer = JSON.parse(body) as { error?: ErrorBody }
        return answer.error ? err(toDomainError(answer.error)) : ok(answer)
      }),
    )
  }
}

/** How deep the objects and arrays of an input may nest. A cyclic one is deeper than any limit. */
export const depth_limit = 32
const too_deep = err({ message: `The input is nested deeper than ${depth_limit} levels.` })

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

/** Thrown for a charge in a transaction of the host: a rollback would not undo the movement of the money. */
export function asksProcessor(name: string): Error {
  return new Error(
    `${name} asks the processor, and no transaction may be open meanwhile: a rollback would forget what the processor has done. Call it on the engine, before the transaction or after its commit.`,
  )
}

type ErrorBody = ReturnType<typeof errorBody>['error']

function toDomainError(error: ErrorBody): DomainError {
  const { code, message, param, type: _type, request_id: _id, ...extra } = error
  return { code, message, ...given({ param }), ...(Object.keys(extra).length > 0 ? { extra } : {}) }
}
