import { describe, expect, it } from 'vitest'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { seededIds } from '../../../testing/src/random.ts'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { DeliveryRow } from '../../src/deliveries/delivery.ts'
import type { Attempt } from '../../src/deliveries/delivery-machine.ts'
import { type EndedLease, recordAttempts } from '../../src/deliveries/record-attempts.ts'
import type { Unit } from '../../src/kernel/operation.ts'
import { ok } from '../../src/kernel/result.ts'
import { createSecrets } from '../../src/kernel/secrets.ts'
import { memoryStore } from '../../src/memory-store/memory-store.ts'
import { silentLogger } from '../../src/ports/logger.ts'
import type { Transaction, WriteTable } from '../../src/ports/store.ts'
import type { WebhookEndpointRow } from '../../src/webhook-endpoints/webhook-endpoint.ts'

const scope = { workspace: 'w', livemode: false }
const created_at = '2026-02-01T12:00:00.000Z'
const now = '2026-02-03T09:00:00.000Z'
const ids = seededIds(1)

function endpointAs(columns: Partial<WebhookEndpointRow> = {}, id = 'we_test_1'): WebhookEndpointRow {
  const past = { created_at, changed_at: created_at, quiet_since: created_at }
  return sampleRow('webhook_endpoints', scope, id, { status: 'enabled', listed: true, ...past, ...columns })
}

/** Under way with the first lease, its event named after it. */
function leasedDelivery(columns: Partial<DeliveryRow> = {}, id = 'd1'): DeliveryRow {
  const of = { event: id, emit_of: id, pending_of: id, endpoint: 'we_test_1', created_at }
  const lease = { attempt_count: 0, lease: 1, lease_until: '2026-02-03T09:00:30.000Z', stopped: false }
  return sampleRow('deliveries', scope, id, { ...of, ...lease, status: 'pending', ...columns })
}

function attemptOf(delivery: DeliveryRow, error: string | null, ended_at = now): EndedLease {
  const attempt: Attempt = { started_at: ended_at, ended_at, response_status: null, error }
  return { delivery, attempt }
}

interface History {
  endpoints?: WebhookEndpointRow[]
  deliveries?: DeliveryRow[]
}

/** What recording these attempts at once comes to, and the rows it leaves. */
async function recorded({ endpoints = [endpointAs()], deliveries = [] }: History, attempts: EndedLease[]) {
  const store = memoryStore()
  await store.transaction(scope, async (tx) => {
    for (const endpoint of endpoints) await tx.webhook_endpoints.insert(endpoint)
    for (const delivery of deliveries) await tx.deliveries.insert(delivery)
    return ok(null)
  })
  const locked: string[] = []
  const outcome = await store.transaction(scope, async (tx) => {
    noteLocks(tx.webhook_endpoints, locked)
    noteLocks(tx.deliveries, locked)
    return ok(await recordAttempts(unitOn(tx), attempts))
  })
  const rows = await readRows(store, scope)
  const endpoint = (id = 'we_test_1') => rows.webhook_endpoints.find((row) => row.id === id)
  const delivery = (id = 'd1') => rows.deliveries.find((row) => row.id === id)
  const { paused, lost } = outcome._unsafeUnwrap()
  return { paused: paused.map(({ id }) => id), lost, locked, endpoint, delivery }
}

function unitOn(tx: Transaction): Unit {
  return {
    ...{ scope, now, real_now: now, tx, ids, processor: undefined, logger: silentLogger },
    ...{ public_url: 'https://pay.example.com', allow_insecure_destinations: false },
    secrets: createSecrets('a secret of the tests, 32 bytes or more', ids),
    announce: () => Promise.reject(new Error('An attempt announces nothing.')),
    sendAfterCommit() {},
  }
}

/** Writes down the ids that are locked in a table, in order. */
function noteLocks<Row>(table: WriteTable<Row>, locked: string[]): void {
  const lock = table.lock.bind(table)
  table.lock = (id) => {
    locked.push(id)
    return lock(id)
  }
}

describe('an attempt that is recorded', () => {
  const delivery = leasedDelivery()

  it('with a 2xx succeeds, and its endpoint is quiet since the end of it', async () => {
    const { paused, lost, ...after } = await recorded({ deliveries: [delivery] }, [attemptOf(delivery, null)])
    expect(after.delivery()).toMatchObject({ status: 'succeeded', attempt_count: 1, lease_until: null })
    expect(after.endpoint()).toEqual({ ...endpointAs(), quiet_since: now })
    expect([paused, lost]).toEqual([[], []])
  })

  it('with a 2xx that ended before the last edit leaves the time of that', async () => {
    const endpoints = [endpointAs({ quiet_since: now })]
    const { endpoint } = await recorded({ endpoints, deliveries: [delivery] }, [
      attemptOf(delivery, null, created_at),
    ])
    expect(endpoint()?.quiet_since).toBe(now)
  })

  it('with a failure is tried again, and its endpoint remembers when it failed last', async () => {
    const after = await recorded({ deliveries: [delivery] }, [attemptOf(delivery, 'dns')])
    expect(after.delivery()).toMatchObject({ status: 'pending', next_attempt_at: '2026-02-03T09:01:00.000Z' })
    expect(after.endpoint()).toEqual({ ...endpointAs(), last_failure_at: now })
  })

  it('with a failure that ended before the last one leaves the time of that', async () => {
    const endpoints = [endpointAs({ last_failure_at: now })]
    const { endpoint } = await recorded({ endpoints, deliveries: [delivery] }, [
      attemptOf(delivery, 'timeout', created_at),
    ])
    expect(endpoint()?.last_failure_at).toBe(now)
  })

  it('counts for its own endpoint only', async () => {
    const endpoints = [endpointAs(), endpointAs({}, 'we_test_2')]
    const other = leasedDelivery({ endpoint: 'we_test_2' }, 'd2')
    const attempts = [attemptOf(delivery, 'dns'), attemptOf(other, null)]
    const after = await recorded({ endpoints, deliveries: [delivery, other] }, attempts)
    expect(after.endpoint()).toEqual({ ...endpointAs(), last_failure_at: now })
    expect(after.endpoint('we_test_2')).toEqual({ ...endpointAs({}, 'we_test_2'), quiet_since: now })
    expect([after.delivery('d1')?.status, after.delivery('d2')?.status]).toEqual(['pending', 'succeeded'])
  })
})

describe('a delivery that was leased and not attempted', () => {
  it('is canceled, and its endpoint stays as it was', async () => {
    const endpoint = endpointAs({ status: 'disabled', due_at: '2026-02-04T12:00:00.000Z' })
    const delivery = leasedDelivery()
    const not_made = { delivery, attempt: null }
    const after = await recorded({ endpoints: [endpoint], deliveries: [delivery] }, [not_made])
    expect(after.delivery()).toMatchObject({ status: 'canceled', attempt_count: 0, lease_until: null })
    expect(after.endpoint()).toEqual(endpoint)
  })
})

describe('an attempt that its endpoint was disabled during, and enabled again', () => {
  it.each([
    ['dns', 'canceled'],
    [null, 'succeeded'],
  ] as const)('and that ends with %s is the last of a delivery that is %s', async (error, status) => {
    const delivery = leasedDelivery({ stopped: true })
    const after = await recorded({ deliveries: [delivery] }, [attemptOf(delivery, error)])
    expect(after.delivery()).toMatchObject({ status, attempt_count: 1, next_attempt_at: null })
  })
})

describe('an attempt whose lease has passed on', () => {
  const made_under = leasedDelivery()

  it.each([
    ['to a successor', leasedDelivery({ lease: 2 }), ['d1']],
    ['because it was recorded already', leasedDelivery({ lease_until: null }), []],
    ['because its delivery is over', leasedDelivery({ status: 'canceled', lease_until: null }), []],
  ])('%s changes nothing, and only to a successor is it lost', async (_, current, lost) => {
    const after = await recorded({ deliveries: [current] }, [attemptOf(made_under, 'dns')])
    expect(after.lost).toEqual(lost)
    expect(after.delivery()).toEqual(current)
    expect(after.endpoint()).toEqual(endpointAs())
  })

  it('because its delivery is not there is lost too', async () => {
    expect(await recorded({}, [attemptOf(made_under, null)])).toMatchObject({ lost: ['d1'], paused: [] })
  })

  it('does not keep the next one from being recorded', async () => {
    const other = leasedDelivery({}, 'd2')
    const attempts = [attemptOf(made_under, 'dns'), attemptOf(other, 'dns')]
    const after = await recorded({ deliveries: [leasedDelivery({ lease: 2 }), other] }, attempts)
    expect([after.lost, after.delivery('d2')?.attempt_count]).toEqual([['d1'], 1])
  })

  it('by the same attempt in the same list counts once', async () => {
    const attempts = [attemptOf(made_under, 'dns'), attemptOf(made_under, 'dns')]
    const after = await recorded({ deliveries: [made_under] }, attempts)
    expect([after.lost, after.delivery()?.attempt_count]).toEqual([[], 1])
  })
})

describe('an endpoint whose delivery is exhausted', () => {
  const eighth = (id: string, created: string) =>
    leasedDelivery({ attempt_count: 7, created_at: created }, id)
  const older = eighth('d1', '2026-02-01T12:00:00.000Z')
  const newer = eighth('d2', '2026-02-02T12:00:00.000Z')
  const waits_until = '2026-02-04T12:00:00.000Z'

  it('remembers the oldest such delivery, and is judged when three days of failure could be over', async () => {
    for (const deliveries of [
      [older, newer],
      [newer, older],
    ]) {
      const failures = deliveries.map((one) => attemptOf(one, 'dns'))
      const { endpoint } = await recorded({ deliveries }, failures)
      expect(endpoint()).toMatchObject({ exhausted_created_at: older.created_at, due_at: waits_until })
    }
  })

  it('forgets it for no later failure', async () => {
    const endpoints = [endpointAs({ exhausted_created_at: older.created_at })]
    const retried = leasedDelivery({ created_at: '2026-01-01T00:00:00.000Z' })
    const { endpoint } = await recorded({ endpoints, deliveries: [retried] }, [attemptOf(retried, 'dns')])
    expect(endpoint()?.exhausted_created_at).toBe(older.created_at)
  })

  it('is paused once three days are over, given back, and its waiting deliveries canceled', async () => {
    const three_days_ago = '2026-01-31T09:00:00.000Z'
    const last = eighth('d1', three_days_ago)
    const waiting = leasedDelivery({ lease_until: null }, 'd2')
    const endpoints = [endpointAs({ quiet_since: three_days_ago }), endpointAs({}, 'we_test_2')]
    const attempt = attemptOf(last, 'dns')
    const after = await recorded({ endpoints, deliveries: [last, waiting] }, [attempt])
    expect(after.paused).toEqual(['we_test_1'])
    expect(after.endpoint()).toMatchObject({ status: 'disabled', changed_at: now, due_at: null })
    expect(after.delivery('d2')?.status).toBe('canceled')
    expect(after.endpoint('we_test_2')).toEqual(endpointAs({}, 'we_test_2'))
  })
})

describe('what is recorded together', () => {
  it('is locked in one order for everybody: endpoints and then deliveries, each once and by id', async () => {
    const endpoints = [endpointAs({}, 'we_test_1'), endpointAs({}, 'we_test_2')]
    const deliveries = ['d3', 'd1', 'd2'].map((id) =>
      leasedDelivery({ endpoint: id === 'd3' ? 'we_test_2' : 'we_test_1' }, id),
    )
    const attempts = deliveries.map((delivery) => attemptOf(delivery, null))
    const { locked } = await recorded({ endpoints, deliveries }, attempts)
    expect(locked).toEqual(['we_test_1', 'we_test_2', 'd1', 'd2', 'd3'])
  })
})
