import type { z } from 'zod'
import { type DomainError, fail } from '../../errors/domain-error.ts'
import { parameterName } from '../../errors/parameter-name.ts'
import { ok, type Result } from '../../kernel/result.ts'
import { in_english } from '../../schema/in-english.ts'

/** Validates an operation's input; `parameter_invalid` names the first offending parameter. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Result<z.output<Schema>, DomainError<'parameter_invalid'>> {
  const parsed = schema.safeParse(input, in_english)
  if (parsed.success) return ok(parsed.data)
  const [issue] = parsed.error.issues
  if (!issue) return fail('parameter_invalid')
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path
  return fail('parameter_invalid', {
    ...(path.length > 0 ? { param: parameterName(path) } : {}),
    message: explain(issue),
  })
}

function explain({ code, message }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys') return 'This parameter is not known here.'
  if (message.endsWith('received undefined')) return 'This parameter is required.'
  return /[.!]$/.test(message) ? message : `${message}.`
}
