import { err, type Result } from '../kernel/result.ts'

/**
 * The back office's own enumeration of codes (specification: Back-office endpoints), each with its status and
 * default message. `health_status_ok` is the only code that is not an error.
 */
export const backOfficeCatalogue = {
  health_status_ok: [200, 'OK.'],
  bad_request: [400, 'The request cannot be understood.'],
  unauthorized: [401, 'Send the back-office token as `Authorization: Bearer <token>`.'],
  forbidden: [403, 'This token may not do that.'],
  cannot_access_organization: [403, 'This token may not act for that organization.'],
  not_found: [404, 'There is nothing here.'],
  organization_not_found: [404, 'There is no such organization.'],
  api_key_not_found: [404, 'There is no such API key.'],
  method_not_allowed: [405, 'This path does not answer that method.'],
  resource_already_exists: [409, 'It exists already.'],
  validation_error: [422, 'The request has invalid fields.'],
  internal_server_error: [500, 'Something went wrong on our side.'],
  health_status_error: [503, 'The service cannot reach its store.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type BackOfficeCode = keyof typeof backOfficeCatalogue

/** One invalid field: where it is, in the specification's path syntax, and what is wrong with it. */
export interface FieldIssue {
  path: string
  message: string
}

export interface BackOfficeError {
  code: Exclude<BackOfficeCode, 'health_status_ok'>
  message: string
  /** The invalid fields of a `validation_error`, else null. */
  data: FieldIssue[] | null
}

/** A refusal, by default with the message of its code. */
export function refusal(
  code: BackOfficeError['code'],
  message: string = backOfficeCatalogue[code][1],
  data: FieldIssue[] | null = null,
): BackOfficeError {
  return { code, message, data }
}

/** Refuses a back-office request, and so undoes whatever its unit of work wrote. */
export function refuse(...why: Parameters<typeof refusal>): Result<never, BackOfficeError> {
  return err(refusal(...why))
}
