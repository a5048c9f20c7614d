import type { z } from 'zod'
import { type DomainError, fail, parameter_required } from '../../errors/domain-error.ts'
import { parameterName } from '../../errors/parameter-name.ts'
import { ok, type Result } from '../../kernel/result.ts'
import { in_english } from '../../schema/in-english.ts'
import { not_storable, pathToUnstorable } from '../../schema/text.ts'

/** Validates an operation's input; `parameter_invalid` names the first offending parameter. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Result<z.output<Schema>, DomainError<'parameter_invalid' | 'resource_missing'>> {
  const parsed = schema.safeParse(input, { error: fewInEnglish() })
  if (parsed.success) return refuseUnstorable(parsed.data) ?? ok(parsed.data)
  const [issue] = parsed.error.issues
  if (!issue) return fail('parameter_invalid')
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path
  return refuse(path, explain(issue))
}

/** One body has room for a hundred thousand wrong entries. Only the first is reported, and to word all takes seconds. */
const most_worded = 20

function fewInEnglish(): typeof in_english.error {
  let worded = 0
  return (issue) => {
    worded += 1
    return worded > most_worded ? '' : in_english.error(issue)
  }
}

/** As over HTTP, where no such text gets in: no object has such an id. */
function refuseUnstorable(input: unknown) {
  const path = pathToUnstorable(input)
  if (path === null) return null
  if (path[0] === 'id') return fail('resource_missing')
  return refuse(path, not_storable)
}

function refuse(path: readonly PropertyKey[], message: string) {
  return fail('parameter_invalid', {
    ...(path.length > 0 ? { param: parameterName(path) } : {}),
    message,
  })
}

function explain({ code, message }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys') return 'This parameter is not known here.'
  if (message.endsWith('received undefined')) return parameter_required
  return /[.!]$/.test(message) ? message : `${message}.`
}
