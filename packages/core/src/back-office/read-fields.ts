import type { z } from 'zod'
import { parameterName } from '../errors/parameter-name.ts'
import { ok, type Result } from '../kernel/result.ts'
import { in_english } from '../schema/in-english.ts'
import { not_storable, pathToUnstorable } from '../schema/text.ts'
import { type BackOfficeError, type FieldIssue, refuse } from './back-office-error.ts'

/** Validates a request's fields; `validation_error` names every invalid one. */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Result<z.output<Schema>, BackOfficeError> {
  const parsed = schema.safeParse(input, in_english)
  if (!parsed.success) return refuse('validation_error', undefined, parsed.error.issues.flatMap(issuesOf))
  const path = pathToUnstorable(parsed.data)
  if (path === null) return ok(parsed.data)
  return refuse('validation_error', undefined, [{ path: parameterName(path), message: not_storable }])
}

function issuesOf(issue: z.core.$ZodIssue): FieldIssue[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: parameterName(issue.path), message: issue.message }]
  return issue.keys.map((key) => ({ path: parameterName([...issue.path, key]), message: 'Unknown field' }))
}
