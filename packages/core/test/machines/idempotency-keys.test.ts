import { describe, expect, it } from 'vitest'
import { seededIds } from '../../../testing/src/random.ts'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import { decideKey, isStored, readAnswer, withAnswer } from '../../src/engine/idempotency/key-decisions.ts'
import { catalogue, type ErrorCode } from '../../src/errors/catalogue.ts'
import type { IdempotencyKeyRow } from '../../src/idempotency-keys/idempotency-key.ts'
import { ok } from '../../src/kernel/result.ts'
import { createSecrets } from '../../src/kernel/secrets.ts'
import { memoryStore } from '../../src/memory-store/memory-store.ts'
import { hour_ms } from '../../src/schema/timestamps.ts'

const scope = { workspace: 'w', livemode: false }
const created_at = '2026-02-01T12:00:00.000Z'
const lease_until = '2026-02-01T12:00:30.000Z'
const secrets = createSecrets('a secret of the tests, 32 bytes or more', seededIds(1))

function keyAs(columns: Partial<IdempotencyKeyRow> = {}): IdempotencyKeyRow {
  const running = { operation: 'payments.create', fingerprint: 'f', request_id: 'req_1', lease_until }
  return sampleRow('idempotency_keys', scope, 'k', { ...running, created_at, ...columns })
}

describe('a key that was seen before', () => {
  const meaning = (row: IdempotencyKeyRow, now: string, fingerprint = 'f') =>
    decideKey(
      row,
      { idempotency_key: 'k', operation: 'payments.create', fingerprint, request_id: 'req_2' },
      now,
    ).match(
      (means) => means as string,
      ({ code }) => code,
    )

  it('is in flight until its lease is over, and abandoned from that moment on', () => {
    expect(meaning(keyAs(), '2026-02-01T12:00:29.999Z')).toBe('idempotency_key_in_flight')
    expect(meaning(keyAs(), lease_until)).toBe('abandoned')
  })

  it('is answered where it has no lease any more', () => {
    expect(meaning(keyAs({ lease_until: null }), created_at)).toBe('answered')
  })

  it.each([lease_until, null])('is reused by any other request, its lease until %s', (until) => {
    expect(meaning(keyAs({ lease_until: until }), created_at, 'another')).toBe('idempotency_key_reused')
  })
})

describe('an answer under a key', () => {
  const announced = [
    { event: { id: 'evt_1' }, object_json: '{"id":"pay_1"}' },
    { event: { id: 'evt_2' }, object_json: '{"id":"pay_2"}' },
  ]
  const keep = (body: string, seal?: (body: string) => string) => {
    const remembering = { now: created_at, retention_ms: 72 * hour_ms, announced, ...(seal ? { seal } : {}) }
    return withAnswer(keyAs(), { status: 200, body }, remembering)
  }
  const times = { lease_until: null, due_at: '2026-02-04T12:00:00.000Z' }

  it('is kept once, in the event that announced the same object', () => {
    const answer = { answer_status: 200, answer_body: null, answer_event: 'evt_2' }
    expect(keep('{"id":"pay_2"}')).toEqual({ ...keyAs(), ...times, ...answer })
  })

  it('is kept as its bytes where no event holds it, and sealed where it may show a secret', () => {
    const answer = { answer_status: 200, answer_body: '{"id":"pay_3"}', answer_event: null }
    expect(keep('{"id":"pay_3"}')).toEqual({ ...keyAs(), ...times, ...answer })
    const sealed = keep('{"id":"pay_3"}', secrets.encrypt)
    expect(sealed.answer_body).not.toContain('pay_3')
    expect(secrets.decrypt(`${sealed.answer_body}`)).toBe('{"id":"pay_3"}')
  })

  it('is stored for every code but those about the key itself and about details in the clear', () => {
    const codes = Object.keys(catalogue) as ErrorCode[]
    expect(codes.filter((code) => !isStored({ code })).toSorted()).toEqual([
      'bank_account_not_tokenized',
      'card_not_tokenized',
      'idempotency_key_in_flight',
      'idempotency_key_required',
      'idempotency_key_reused',
    ])
  })

  it('cannot be read where the event that held it is gone: a fault, not another answer', async () => {
    const lost = memoryStore().transaction(scope, async (tx) =>
      ok(await readAnswer({ tx, secrets }, keyAs({ answer_event: 'evt_1' }))),
    )
    await expect(lost).rejects.toThrow('An idempotency key names an event that is not there.')
  })
})
