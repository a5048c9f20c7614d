import type { z } from 'zod'
import type { DomainError } from '../errors/domain-error.ts'
import type { Unit, Units } from './operation.ts'
import type { Result } from './result.ts'

/** What a dashboard user does, in one unit of work with its audit entry. No HTTP, no API key. */
export interface Action<Input extends z.ZodType, Value extends { id: string }> {
  input: Input
  run(unit: ActorsUnit, input: z.output<Input>): PromiseLike<Result<Value, DomainError>>
  /** Runs before `run`, in units of work of its own: work that would block other units for too long inside this one. */
  before?(units: Units, input: z.output<Input>): Promise<void>
}

/** A unit of work on behalf of a user of the host's dashboard. */
type ActorsUnit = Unit & { actor: string }

export function action<Input extends z.ZodType, Value extends { id: string }>(
  definition: Action<Input, Value>,
): Action<Input, Value> {
  return definition
}
