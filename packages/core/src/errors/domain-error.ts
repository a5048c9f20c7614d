import { Err } from '../kernel/result.ts'
import { catalogue, type ErrorCode } from './catalogue.ts'

/** A refusal. `extra` holds the properties some codes add to the error object (specification: Errors). */
export interface DomainError<Code extends ErrorCode = ErrorCode> {
  code: Code
  message: string
  param?: string
  extra?: ErrorExtra
}

/** With a refused charge, `payment` and `decline_code`; with a refused refund, `refund` and `failure_code`. */
export interface ErrorExtra {
  /** Left out on the page of an invoice, whose payments the API does not show. */
  payment?: string
  decline_code?: string
  refund?: string
  failure_code?: string
}

/** `return fail('refund_in_flight')`: refuses, by default in the catalogue's words, and the unit of work writes nothing. */
export function fail<Code extends ErrorCode>(
  code: Code,
  detail: Partial<Omit<DomainError, 'code'>> = {},
): Err<never, DomainError<Code>> {
  const [, , message] = catalogue[code]
  return new Err({ code, message, ...detail })
}

/** An object the request's body names does not exist in this workspace and environment. */
export const missing = (param: string) =>
  fail('resource_missing', { param, message: `There is no such ${param}.` })

/** The message of `parameter_invalid` where a parameter is not there. */
export const parameter_required = 'This parameter is required.'

/** The HTTP status of a code (specification: Errors). */
export function statusOf(code: ErrorCode): number {
  return catalogue[code][0]
}

/** A longer name comes from the client, may be as long as a body, and would be stored with the response. */
const max_param_length = 200

/** The error body of the specification, as it is sent and stored. */
export function errorBody(error: DomainError, request_id: string) {
  const [, type] = catalogue[error.code]
  return {
    error: {
      type,
      code: error.code,
      message: error.message,
      ...(error.param === undefined ? {} : { param: error.param.slice(0, max_param_length).toWellFormed() }),
      request_id,
      ...error.extra,
    },
  }
}
