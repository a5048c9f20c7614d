import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { EndpointStatus } from '../../src/webhook-endpoints/webhook-endpoint.ts'
import {
  decideEndpoint,
  endpointTransitions,
  isPauseDue,
  nextPauseJudgement,
} from '../../src/webhook-endpoints/webhook-endpoint-machine.ts'
import { describeMachine } from './describe-machine.ts'

const scope = { workspace: 'w', livemode: false }
const created_at = '2026-02-01T12:00:00.000Z'

function endpointIn(status: string | null) {
  const columns = { status: status as EndpointStatus, created_at, quiet_since: created_at }
  return sampleRow('webhook_endpoints', scope, 'we_test_1', columns)
}

describeMachine('a webhook endpoint', {
  statuses: ['enabled', 'disabled'],
  triggers: ['disable', 'enable', 'automatic pause'],
  rows: endpointTransitions,
  expected: [
    { from: 'enabled', on: 'disable', to: 'disabled', stamps: ['changed_at'] },
    { from: 'disabled', on: 'enable', to: 'enabled', stamps: ['changed_at'] },
    { from: 'enabled', on: 'automatic pause', to: 'disabled', stamps: ['changed_at'] },
  ],
  stamps: ['changed_at', 'created_at', 'quiet_since', 'last_failure_at'],
  refusal: 'conflict',
  row: endpointIn,
  decide: (row, on, now) =>
    decideEndpoint(row, on as 'disable' | 'enable' | 'automatic pause', now).map((next) => ({
      next: { ...row, ...next },
    })),
})

describe('the automatic pause', () => {
  /** Quiet since the 1st, a delivery of then exhausted, its last attempt on the 3rd. */
  const failing = {
    ...endpointIn('enabled'),
    exhausted_created_at: created_at,
    last_failure_at: '2026-02-03T09:00:00.000Z',
  }

  it('is due at exactly three days and not a millisecond earlier', () => {
    expect(isPauseDue(failing, '2026-02-04T11:59:59.999Z')).toBe(false)
    expect(isPauseDue(failing, '2026-02-04T12:00:00.000Z')).toBe(true)
    expect(nextPauseJudgement(failing, '2026-02-03T09:00:00.000Z')).toBe('2026-02-04T12:00:00.000Z')
  })

  it('is never judged at a moment that has passed', () => {
    expect(nextPauseJudgement(failing, '2026-02-04T12:00:00.000Z')).toBeNull()
    expect(nextPauseJudgement(failing, '2026-02-07T00:00:00.000Z')).toBeNull()
  })

  it('is not judged for a failure that will be three days old by then', () => {
    const at = (last_failure_at: string | null) =>
      nextPauseJudgement({ ...failing, last_failure_at }, '2026-02-03T09:00:00.000Z')
    expect(at(null)).toBeNull()
    expect(at(created_at)).toBeNull()
    expect(at('2026-02-01T12:00:00.001Z')).toBe('2026-02-04T12:00:00.000Z')
  })

  it('is not judged where nothing is exhausted, nor while it is disabled', () => {
    const at = '2026-02-03T09:00:00.000Z'
    expect(nextPauseJudgement({ ...failing, exhausted_created_at: null }, at)).toBeNull()
    expect(nextPauseJudgement({ ...failing, status: 'disabled' }, at)).toBeNull()
  })

  it('counts from the last 2xx, edit or resume', () => {
    const edited = { ...failing, quiet_since: '2026-02-02T00:00:00.000Z' }
    expect(isPauseDue(edited, '2026-02-04T12:00:00.000Z')).toBe(false)
    expect(isPauseDue(edited, '2026-02-05T00:00:00.000Z')).toBe(true)
  })

  it('needs a delivery older than three days that ran its whole schedule', () => {
    expect(isPauseDue({ ...failing, exhausted_created_at: null }, '2026-02-05T00:00:00.000Z')).toBe(false)
    const later = { ...failing, exhausted_created_at: '2026-02-02T12:00:00.000Z' }
    expect(isPauseDue(later, '2026-02-04T12:00:00.000Z')).toBe(false)
  })

  it('leaves an idle endpoint with an old failure alone, and one that is disabled', () => {
    expect(isPauseDue(failing, '2026-02-06T08:59:59.999Z')).toBe(true)
    expect(isPauseDue(failing, '2026-02-06T09:00:00.000Z')).toBe(false)
    expect(isPauseDue({ ...failing, status: 'disabled' }, '2026-02-05T00:00:00.000Z')).toBe(false)
  })
})
