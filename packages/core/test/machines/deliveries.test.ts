import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { DeliveryRow, DeliveryStatus } from '../../src/deliveries/delivery.ts'
import {
  decideAttempt,
  deliveryTransitions,
  releaseDelivery,
  stopDelivery,
} from '../../src/deliveries/delivery-machine.ts'
import { describeMachine } from './describe-machine.ts'

const scope = { workspace: 'w', livemode: false }

function deliveryIn(status: string | null, attempt_count = 0): DeliveryRow {
  const pending_of = status === 'pending' ? 'evt_test_1' : null
  const columns = { status: status as DeliveryStatus, attempt_count, pending_of, emit_of: 'evt_test_1' }
  return sampleRow('deliveries', scope, 'd', { ...columns, event: 'evt_test_1', lease: 3, stopped: false })
}

const attempt = (error: string | null, ended_at = '2026-02-03T04:05:06.789Z') => ({
  started_at: ended_at,
  ended_at,
  response_status: error === null ? 204 : 503,
  error,
})

describeMachine('a delivery', {
  statuses: ['pending', 'succeeded', 'exhausted', 'canceled'],
  triggers: ['any 2xx', 'an attempt fails', 'the eighth attempt fails', 'endpoint disabled'],
  rows: deliveryTransitions,
  expected: [
    { from: 'pending', on: 'any 2xx', to: 'succeeded', stamps: ['last_attempt_at'] },
    { from: 'pending', on: 'an attempt fails', to: 'pending', stamps: ['last_attempt_at'] },
    { from: 'pending', on: 'the eighth attempt fails', to: 'exhausted', stamps: ['last_attempt_at'] },
    { from: 'pending', on: 'endpoint disabled', to: 'canceled' },
  ],
  stamps: ['last_attempt_at', 'created_at'],
  refusal: 'conflict',
  row: deliveryIn,
  decide(row, on, now) {
    const decide = () => {
      if (on === 'endpoint disabled') return releaseDelivery({ ...row, stopped: true })
      if (on === 'any 2xx') return decideAttempt(row, attempt(null, now))
      const attempt_count = on === 'the eighth attempt fails' ? 7 : 0
      return decideAttempt({ ...row, attempt_count }, attempt('http 503', now))
    }
    return decide().map((next) => ({ next }))
  },
})

describe('a delivery that is retried', () => {
  const ended_at = '2026-02-01T00:00:00.000Z'
  const failedAfter = (attempts: number) =>
    decideAttempt(deliveryIn('pending', attempts), attempt('timeout', ended_at))._unsafeUnwrap()

  it.each([
    [1, '2026-02-01T00:01:00.000Z'],
    [2, '2026-02-01T00:05:00.000Z'],
    [3, '2026-02-01T00:30:00.000Z'],
    [4, '2026-02-01T02:00:00.000Z'],
    [5, '2026-02-01T06:00:00.000Z'],
    [6, '2026-02-01T12:00:00.000Z'],
    [7, '2026-02-02T00:00:00.000Z'],
  ])('after attempt %i waits until %s', (failed, next_attempt_at) => {
    expect(failedAfter(failed - 1)).toMatchObject({
      status: 'pending',
      attempt_count: failed,
      next_attempt_at,
      last_error: 'timeout',
      last_response_status: 503,
    })
  })

  it('is exhausted after the eighth attempt and stops', () => {
    const exhausted = { status: 'exhausted', attempt_count: 8, next_attempt_at: null, pending_of: null }
    expect(failedAfter(7)).toMatchObject(exhausted)
  })

  it('is canceled by a failure after its endpoint was disabled, and succeeds by a 2xx all the same', () => {
    const after = (error: string | null) =>
      decideAttempt({ ...deliveryIn('pending'), stopped: true }, attempt(error))._unsafeUnwrap()
    expect(after('http 500')).toMatchObject({ status: 'canceled', attempt_count: 1, pending_of: null })
    expect(after(null)).toMatchObject({ status: 'succeeded', last_error: null, pending_of: null })
  })

  it('is free again, as it was, once a lease has ended without an attempt', () => {
    const leased = { ...deliveryIn('pending', 2), lease_until: '2026-02-01T00:00:30.000Z' }
    const released = releaseDelivery(leased)._unsafeUnwrap()
    expect(released).toEqual({ ...leased, lease_until: null })
  })

  it('is canceled then if its endpoint was disabled meanwhile', () => {
    const leased = { ...deliveryIn('pending'), stopped: true, lease_until: '2026-02-01T00:00:30.000Z' }
    expect(releaseDelivery(leased)._unsafeUnwrap()).toMatchObject({
      status: 'canceled',
      attempt_count: 0,
      pending_of: null,
      lease_until: null,
    })
  })

  it('gives its lease back with every outcome and keeps its fencing token', () => {
    const leased = { ...deliveryIn('pending'), lease_until: '2026-02-01T00:00:30.000Z' }
    for (const error of [null, 'dns']) {
      const next = decideAttempt(leased, attempt(error))._unsafeUnwrap()
      expect(next).toMatchObject({ lease: 3, lease_until: null })
    }
  })
})

describe('a delivery whose endpoint is disabled', () => {
  const now = '2026-02-01T00:00:30.000Z'
  const stopped = (lease_until: string | null) =>
    stopDelivery({ ...deliveryIn('pending'), lease_until }, now)._unsafeUnwrap()

  it('is left to the attempt that is on the wire, which is its last', () => {
    const lease_until = '2026-02-01T00:00:30.001Z'
    expect(stopped(lease_until)).toMatchObject({ status: 'pending', stopped: true, lease_until })
  })

  it.each([null, '2026-02-01T00:00:29.999Z', now])(
    'is canceled where its lease lives until %s',
    (lease_until) => {
      expect(stopped(lease_until)).toMatchObject({ status: 'canceled', stopped: false, lease_until: null })
    },
  )
})
