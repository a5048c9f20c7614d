import { fail } from '../errors/domain-error.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import { hour_ms, minute_ms, second_ms, shifted } from '../schema/timestamps.ts'
import type { SyncCounts, SyncRunRow } from './sync-run.ts'

export type SyncRunTrigger =
  | { on: 'page stored'; counts: SyncCounts; cursor: string; held: boolean }
  | { on: 'last page stored'; counts: SyncCounts }
  | { on: 'unavailable'; reason: string; retry_after_s: number | null }
  | { on: 'given up'; reason: string }
  | { on: 'refused'; reason: string }
  | { on: 'asked again' }

/**
 * running -> completed, or failed. A failed run that is requested again continues where it stopped, but starts over if the
 * ledger had refused it, because it may have refused the cursor.
 */
export const syncRunTransitions = [
  { from: 'running', on: 'page stored', to: 'running' },
  { from: 'running', on: 'last page stored', to: 'completed' },
  { from: 'running', on: 'unavailable', to: 'running' },
  { from: 'running', on: 'given up', to: 'failed' },
  { from: 'running', on: 'refused', to: 'failed' },
  { from: 'failed', on: 'asked again', to: 'running' },
] as const satisfies readonly Transition<SyncRunRow['status'], SyncRunTrigger['on']>[]

/** How long a process that runs a page keeps others away. If it dies, another takes over after this. */
export const hold_ms = minute_ms

/** Retry delays for a page that the ledger did not give; after the last one the run fails. */
const retry_delays_ms = [second_ms, 5 * second_ms, 30 * second_ms, 2 * minute_ms, 10 * minute_ms]

/** The longest `retry_after_s` that is honoured: a longer one may be a mistake of the ledger. */
const longest_wait_ms = hour_ms

/** The run after a trigger; `conflict` where it is no longer running. */
export function decideSyncRun(run: SyncRunRow, happened: SyncRunTrigger, now: string) {
  const trigger = givenUp(run, happened)
  const transition = transitionFor(syncRunTransitions, run.status, trigger.on)
  if (!transition) return fail('conflict')
  const next: SyncRunRow = { ...run, status: transition.to, changed_at: now }
  switch (trigger.on) {
    case 'page stored':
      return ok({
        ...stored(next, trigger.counts),
        cursor: trigger.cursor,
        due_at: trigger.held ? shifted(now, hold_ms) : now,
      })
    case 'last page stored':
      return ok({ ...stored(next, trigger.counts), ...over(now), cursor: null, unfinished_of: null })
    case 'unavailable': {
      const delay_ms = retry_delays_ms[run.failures] ?? longest_wait_ms
      const asked_for_ms = Math.min((trigger.retry_after_s ?? 0) * second_ms, longest_wait_ms)
      const failure = failureOf('ledger_unavailable', trigger.reason)
      const due_at = shifted(now, Math.max(delay_ms, asked_for_ms))
      return ok({ ...next, failures: run.failures + 1, failure, due_at })
    }
    case 'given up':
      return ok({ ...next, ...over(now), failure: failureOf('ledger_unavailable', trigger.reason) })
    case 'refused':
      return ok({ ...next, ...over(now), failure: failureOf('ledger_refused', trigger.reason) })
    case 'asked again': {
      const cursor = run.failure?.code === 'ledger_refused' ? null : run.cursor
      return ok({ ...next, cursor, failures: 0, failure: null, finished_at: null, due_at: now })
    }
  }
}

/** Gives up on a ledger that is still unavailable after the last retry. */
function givenUp(run: SyncRunRow, happened: SyncRunTrigger): SyncRunTrigger {
  if (happened.on !== 'unavailable' || run.failures < retry_delays_ms.length) return happened
  return { on: 'given up', reason: happened.reason }
}

function stored(run: SyncRunRow, counts: SyncCounts): SyncRunRow {
  return {
    ...run,
    pages: run.pages + 1,
    created: run.created + counts.created,
    updated: run.updated + counts.updated,
    unchanged: run.unchanged + counts.unchanged,
    skipped: run.skipped + counts.skipped,
    failures: 0,
    failure: null,
  }
}

function over(now: string) {
  return { due_at: null, finished_at: now }
}

function failureOf(code: 'ledger_unavailable' | 'ledger_refused', reason: string) {
  return { code, reason: reason.slice(0, 200) }
}
