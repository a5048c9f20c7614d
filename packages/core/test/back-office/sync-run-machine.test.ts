import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { SyncRunRow } from '../../src/sync-runs/sync-run.ts'
import {
  decideSyncRun,
  type SyncRunTrigger,
  syncRunTransitions,
} from '../../src/sync-runs/sync-run-machine.ts'
import { describeMachine } from '../machines/describe-machine.ts'

const scope = { workspace: 'w', livemode: false }
const now = '2026-02-03T00:00:00.000Z'
const counts = { created: 1, updated: 2, unchanged: 3, skipped: 4 }

const triggers: Record<SyncRunTrigger['on'], SyncRunTrigger> = {
  'page stored': { on: 'page stored', counts, cursor: 'next', held: false },
  'last page stored': { on: 'last page stored', counts },
  unavailable: { on: 'unavailable', reason: 'http 503', retry_after_s: null },
  'given up': { on: 'given up', reason: 'http 503' },
  refused: { on: 'refused', reason: 'http 401' },
  'asked again': { on: 'asked again' },
}

function runIn(status: string, columns: Partial<SyncRunRow> = {}): SyncRunRow {
  return sampleRow('sync_runs', scope, '019c0000-0000-7000-8000-000000000001', {
    status: status as SyncRunRow['status'],
    cursor: 'here',
    pages: 1,
    failures: 0,
    unfinished_of: 'digest',
    ...columns,
  })
}

describeMachine<SyncRunRow>('a sync run', {
  statuses: ['running', 'completed', 'failed'],
  triggers: Object.keys(triggers),
  rows: syncRunTransitions,
  expected: [
    { from: 'running', on: 'page stored', to: 'running', stamps: ['changed_at'] },
    { from: 'running', on: 'last page stored', to: 'completed', stamps: ['changed_at', 'finished_at'] },
    { from: 'running', on: 'unavailable', to: 'running', stamps: ['changed_at'] },
    { from: 'running', on: 'given up', to: 'failed', stamps: ['changed_at', 'finished_at'] },
    { from: 'running', on: 'refused', to: 'failed', stamps: ['changed_at', 'finished_at'] },
    { from: 'failed', on: 'asked again', to: 'running', stamps: ['changed_at'] },
  ],
  stamps: ['changed_at', 'finished_at'],
  refusal: 'conflict',
  row: (status) => runIn(`${status}`),
  decide: (row, on, at) =>
    decideSyncRun(row, triggers[on as SyncRunTrigger['on']], at).map((next) => ({ next })),
})

describe('a sync run', () => {
  const decide = (run: SyncRunRow, trigger: SyncRunTrigger) =>
    decideSyncRun(run, trigger, now)._unsafeUnwrap()
  const wait_ms = (run: SyncRunRow) => Date.parse(`${run.due_at}`) - Date.parse(now)

  it('counts what its pages brought, and is due for the next one', () => {
    const next = decide(runIn('running', { failures: 2 }), triggers['page stored'])
    expect(next).toMatchObject({ pages: 2, failures: 0, failure: null, cursor: 'next', due_at: now })
    const { created, updated, unchanged, skipped } = runIn('running')
    expect([next.created, next.updated, next.unchanged, next.skipped]).toEqual([
      created + 1,
      updated + 2,
      unchanged + 3,
      skipped + 4,
    ])
  })

  it('is left for a minute to the process that holds it', () => {
    expect(
      wait_ms(decide(runIn('running'), { ...triggers['page stored'], held: true } as SyncRunTrigger)),
    ).toBe(60_000)
  })

  it('waits for a ledger 1 s, 5 s, 30 s, 2 min and 10 min, and then gives up', () => {
    let run = runIn('running')
    const waits: number[] = []
    while (run.status === 'running') {
      run = decide(run, triggers.unavailable)
      expect(run.failure).toEqual({ code: 'ledger_unavailable', reason: 'http 503' })
      if (run.status === 'running') waits.push(wait_ms(run) / 1000)
    }
    expect(waits).toEqual([1, 5, 30, 120, 600])
    expect(run.status).toBe('failed')
  })

  it('goes on where the ledger gives the page at the last retry', () => {
    const next = decide(runIn('running', { failures: 5 }), triggers['page stored'])
    expect(next).toMatchObject({ status: 'running', failures: 0, failure: null })
  })

  it('keeps 200 characters of what the ledger said', () => {
    const reason = 'x'.repeat(201)
    expect(decide(runIn('running'), { on: 'refused', reason }).failure).toEqual({
      code: 'ledger_refused',
      reason: 'x'.repeat(200),
    })
  })

  it('waits for longer where the ledger asks for it, and for an hour at most', () => {
    const waits = [0, 2, 3_600, 3_601].map((retry_after_s) => {
      const trigger = { on: 'unavailable' as const, reason: 'http 429', retry_after_s }
      return wait_ms(decide(runIn('running'), trigger)) / 1000
    })
    expect(waits).toEqual([1, 2, 3_600, 3_600])
  })

  it('goes on at its cursor after an outage, and from the start after a refusal', () => {
    const failed = (trigger: SyncRunTrigger) =>
      decide(decide(runIn('running'), trigger), triggers['asked again'])
    expect(failed(triggers['given up'])).toMatchObject({
      cursor: 'here',
      failures: 0,
      failure: null,
      due_at: now,
    })
    expect(failed(triggers.refused)).toMatchObject({ cursor: null, failures: 0, failure: null, due_at: now })
  })

  it('is another run for the next one that asks, once it is completed', () => {
    const done = decide(runIn('running'), triggers['last page stored'])
    expect(done).toMatchObject({ unfinished_of: null, cursor: null, due_at: null })
  })
})
