import type { ErrorCode } from '../../errors/catalogue.ts'
import { type DomainError, errorBody, statusOf } from '../../errors/domain-error.ts'
import type { Result } from '../../kernel/result.ts'

/** What is sent: an HTTP status, and a JSON object as text. */
export interface RenderedAnswer {
  status: number
  body: string
}

/** The answer to a request; `replayed` if it is the stored answer of an earlier one. */
export interface Answer extends RenderedAnswer {
  replayed: boolean
  /** The error's code, null on success. */
  code: ErrorCode | null
}

/** The object, or the error with the id of its request. */
export function answerOf(
  result: Result<unknown, DomainError>,
  { request_id }: { request_id: string },
): Answer {
  if (result.isOk()) return { status: 200, body: JSON.stringify(result.value), replayed: false, code: null }
  const { error } = result
  const body = JSON.stringify(errorBody(error, request_id))
  return { status: statusOf(error.code), body, replayed: false, code: error.code }
}
