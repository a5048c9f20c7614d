import type { IdempotencyKeyRow } from '../../idempotency-keys/idempotency-key.ts'
import type { Answer, RenderedAnswer } from '../request/answer.ts'
import { type Keyed, scopeOf } from '../request/request.ts'
import type { UnitServices } from '../services.ts'
import { type RunningUnit, write } from '../unit-of-work/unit-of-work.ts'
import { newKey, type Remembering, readAnswer, withAnswer } from './key-decisions.ts'

/** Stores an answer in a unit of work of its own, as `keepAnswer` does. */
export async function storeAnswer(
  services: UnitServices,
  request: Keyed,
  answer: Answer,
): Promise<Answer | null> {
  return write(services, scopeOf(request.caller), async (unit) => {
    const key = await unit.tx.idempotency_keys.lock(request.idempotency_key)
    return keepAnswer(services, unit, { key, request, answer })
  })
}

/**
 * Stores an answer under the request's key, which the unit has locked, unless the same request was answered there before.
 * Returns the answer that is stored now; null if another request has the key, because it was deleted after its lease.
 */
export async function keepAnswer(
  services: UnitServices,
  unit: RunningUnit,
  { key, request, answer }: { key: IdempotencyKeyRow | undefined; request: Keyed; answer: Answer },
): Promise<Answer | null> {
  const { idempotency_keys } = unit.tx
  if (key?.lease_until === null && key.fingerprint === request.fingerprint)
    return replay(await readAnswer(unit, key))
  if (key && key.request_id !== request.request_id) return null
  const row = withAnswer(key ?? newKey(unit, request), answer, remembering(services, unit))
  await (key ? idempotency_keys.update(row) : idempotency_keys.insert(row))
  return answer
}

export function replay(stored: RenderedAnswer): Answer {
  const { error } = JSON.parse(stored.body) as { error?: { code: Answer['code'] } }
  return { ...stored, replayed: true, code: error?.code ?? null }
}

/** Seals stored answers, because those of creates hold client secrets and webhook secrets. */
export function remembering(services: UnitServices, { now, announced, secrets }: RunningUnit): Remembering {
  return { now, retention_ms: services.idempotency_retention_ms, announced, seal: secrets.encrypt }
}
