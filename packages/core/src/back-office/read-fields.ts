import type { z } from 'zod'
import { ok, type Result } from '../kernel/result.ts'
import { type BackOfficeError, type FieldIssue, refuse } from './back-office-error.ts'

/** Validates a request's fields; `validation_error` names every invalid one. */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Result<z.output<Schema>, BackOfficeError> {
  const parsed = schema.safeParse(input)
  return parsed.success
    ? ok(parsed.data)
    : refuse('validation_error', undefined, parsed.error.issues.flatMap(issuesOf))
}

function issuesOf(issue: z.core.$ZodIssue): FieldIssue[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path), message: issue.message }]
  return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: 'Unknown field' }))
}

/** `ledger[0].token`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, depth) =>
      typeof part === 'number' ? `[${part}]` : `${depth === 0 ? '' : '.'}${String(part)}`,
    )
    .join('')
}
