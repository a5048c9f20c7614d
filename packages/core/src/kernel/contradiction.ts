import type { Context } from './operation.ts'

/** For each status, the triggers that contradict what the processor has said before. */
export type Contradictions<Status extends string, Trigger extends string> = {
  readonly [Name in Status]?: readonly Trigger[]
}

/** When the processor contradicts itself, no status changes, but money may not be where we say it is: a person has to look. */
export function warnOfContradiction(
  { scope, logger }: Context,
  { id, status }: { id: string; status: string | null },
  { told, contradictions }: { told: string; contradictions: Contradictions<string, string> },
): void {
  if (status === null || !contradictions[status]?.includes(told)) return
  logger.error('the processor contradicts itself', { ...scope, id, status, processor: told })
}
