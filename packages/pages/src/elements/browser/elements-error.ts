import type { FieldsError } from '../protocol.ts'

/** Why there is no token, or no confirmed session: what the promises of an element reject with. */
export class ElementsError extends Error {
  override name = 'QuittanceError'
  /** A code of a field, of the tokenizer or of the API: `number_incomplete`, `test_details_only`, `card_expired`. */
  readonly code: string
  /** The field to blame: `number`. Null for none. */
  readonly field: string | null
  /** The API's own error object, if it returned one. */
  readonly api: ApiError | null

  constructor({ code, field, message }: FieldsError, api: ApiError | null = null) {
    super(message)
    this.code = code
    this.field = field
    this.api = api
  }
}

/** The `error` of a response of the API. */
export interface ApiError {
  type: string
  code: string
  message: string
  param?: string
  request_id?: string
}
