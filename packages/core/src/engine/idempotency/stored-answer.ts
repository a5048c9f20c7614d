import type { DomainError } from '../../errors/domain-error.ts'
import type { IdempotencyKeyRow } from '../../idempotency-keys/idempotency-key.ts'
import type { Result } from '../../kernel/result.ts'
import type { Answer, RenderedAnswer } from '../request/answer.ts'
import { type OperationRequest, scopeOf } from '../request/request.ts'
import type { UnitServices } from '../services.ts'
import { type RunningUnit, write } from '../unit-of-work/unit-of-work.ts'
import { answered, newKey, type Remembering, readAnswer } from './key-decisions.ts'

/** A request under a key. Its input has been validated, or says why not. */
export type Keyed = Omit<OperationRequest, 'input' | 'idempotency_key'> & {
  input: Result<unknown, DomainError>
  idempotency_key: string
}

/**
 * Stores an answer under the request's own key, unless one was committed there before. Returns the answer that is stored now;
 * null if another request has the key by now.
 */
export async function storeAnswer(
  services: UnitServices,
  request: Keyed,
  answer: Answer,
): Promise<Answer | null> {
  return write(services, scopeOf(request.caller), async (unit) => {
    const key = await unit.tx.idempotency_keys.lock(request.idempotency_key)
    if (key && key.request_id !== request.request_id) return null
    if (key?.lease_until === null) return replay(await readAnswer(unit, key))
    await writeAnswer(services, unit, { key, request, answer })
    return answer
  })
}

/** A key that was deleted meanwhile is inserted again, so that a retry gets the same answer. */
export async function writeAnswer(
  services: UnitServices,
  unit: RunningUnit,
  { key, request, answer }: { key: IdempotencyKeyRow | undefined; request: Keyed; answer: Answer },
): Promise<void> {
  const { idempotency_keys } = unit.tx
  const row = answered(key ?? newKey(unit, request), answer, remembering(services, unit))
  await (key ? idempotency_keys.update(row) : idempotency_keys.insert(row))
}

export function replay(stored: RenderedAnswer): Answer {
  const { error } = JSON.parse(stored.body) as { error?: { code: Answer['code'] } }
  return { ...stored, replayed: true, code: error?.code ?? null }
}

/** Seals stored answers, because those of creates hold client secrets and webhook secrets. */
export function remembering(services: UnitServices, { now, announced, secrets }: RunningUnit): Remembering {
  return { now, retention_ms: services.idempotency_retention_ms, announced, seal: secrets.encrypt }
}
