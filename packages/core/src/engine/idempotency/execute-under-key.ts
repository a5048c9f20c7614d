import { type DomainError, fail } from '../../errors/domain-error.ts'
import type { IdempotencyKeyRow } from '../../idempotency-keys/idempotency-key.ts'
import { inWords } from '../../kernel/in-words.ts'
import type { Context, Operation, Reserved, TestHelperOperation } from '../../kernel/operation.ts'
import { err, ok, type Result } from '../../kernel/result.ts'
import { iso } from '../../schema/timestamps.ts'
import { type Answer, answerOf } from '../request/answer.ts'
import { askProcessor, type Remote } from '../request/ask-processor.ts'
import { askedBy, type Keyed, scopeOf } from '../request/request.ts'
import type { UnitServices } from '../services.ts'
import { contextOf, inUnit, type RunningUnit } from '../unit-of-work/unit-of-work.ts'
import { healKey } from './heal-key.ts'
import { decideKey, isStored, newKey, readAnswer, withAnswer } from './key-decisions.ts'
import { keepAnswer, remembering, replay, storeAnswer } from './stored-answer.ts'

type Writing = Exclude<Operation, { kind: 'query' }> | TestHelperOperation

/** What the first unit of work under a key has come to. */
type FirstUnit =
  | { kind: 'done'; answer: Answer }
  | { kind: 'reserved'; operation: Remote; intent: Reserved }
  /** Still to be run, outside of a unit. The key is taken only with its answer. */
  | { kind: 'test_helper'; run: () => PromiseLike<Result<unknown, DomainError>> }
  /** By a process that died. */
  | { kind: 'abandoned' }

/**
 * Runs an operation under its Idempotency-Key. The key's row is written in the same units of work as the
 * operation's own rows: taken with the intent, answered with the outcome. A refusal rolls its unit back, and its
 * answer is stored afterwards, so that a replay is byte-identical.
 */
export async function executeUnderKey(
  services: UnitServices,
  operation: Writing,
  request: Keyed,
): Promise<Answer> {
  const { running_helpers } = services
  const refused = running_helpers.refusal(request)
  if (refused) return answerOf(refused, request)
  const answering = () =>
    answerUnderKey(services, operation, request).catch((fault) => storeFault(services, request, fault))
  return operation.kind === 'test_helper'
    ? running_helpers.refusingMeanwhile(request, answering)
    : answering()
}

/** Takes the key, or goes on from what another request has left under it. */
async function answerUnderKey(services: UnitServices, operation: Writing, request: Keyed): Promise<Answer> {
  const context = contextOf(services, scopeOf(request.caller))
  const result = await firstUnit(services, context, { operation, request })
  if (result.isErr()) return storeResult(services, operation, { request, result })
  const first = result.value
  switch (first.kind) {
    case 'done':
      return first.answer
    case 'reserved':
      return askProcessor(services, context, { ...first, caller: request.caller }, (outcome) =>
        recordOutcome(services, first, { request, outcome }),
      )
    case 'test_helper':
      return storeResult(services, operation, { request, result: await first.run() })
    case 'abandoned':
      await healKey(services, scopeOf(request.caller), request.idempotency_key)
      return answerUnderKey(services, operation, request)
  }
}

/** The first unit of work: goes by what is kept under the key, or begins. */
function firstUnit(
  services: UnitServices,
  context: Context,
  asked: { operation: Writing; request: Keyed },
): Promise<Result<FirstUnit, DomainError>> {
  return inUnit<FirstUnit>(services, context, async (unit) => {
    const key = await unit.tx.idempotency_keys.lock(asked.request.idempotency_key)
    return key ? goBy(key, unit, asked.request) : begin(services, unit, asked)
  })
}

async function goBy(
  key: IdempotencyKeyRow,
  unit: RunningUnit,
  request: Keyed,
): Promise<Result<FirstUnit, DomainError>> {
  const verdict = decideKey(key, request, unit.now)
  if (verdict.isErr()) return err(verdict.error)
  if (verdict.value === 'abandoned') return ok({ kind: 'abandoned' })
  return ok({ kind: 'done', answer: replay(await readAnswer(unit, key)) })
}

/** Runs a whole command, or reserves a call of the processor, and takes the key with it. */
async function begin(
  services: UnitServices,
  unit: RunningUnit,
  { operation, request }: { operation: Writing; request: Keyed },
): Promise<Result<FirstUnit, DomainError>> {
  const { caller, input } = request
  if (input.isErr()) return err(input.error)
  switch (operation.kind) {
    case 'test_helper':
      return ok({ kind: 'test_helper', run: () => operation.run(caller, input.value) })
    case 'remote': {
      const intent = await operation.reserve(askedBy(caller, unit), input.value)
      if (intent.isErr()) return err(intent.error)
      // Leased from now: the unit may have waited for a lock, and the call that follows has to end within the lease.
      const key = newKey(unit, request, iso(services.clock.now()))
      await unit.tx.idempotency_keys.insert({ ...key, intent: intent.value.id })
      return ok({ kind: 'reserved', operation, intent: intent.value })
    }
    case 'command': {
      const result = await operation.run(askedBy(caller, unit), input.value)
      if (result.isErr()) return err(result.error)
      const answer = answerOf(result, request)
      const key = { ...newKey(unit, request), intent: (result.value as { id?: string }).id ?? null }
      await unit.tx.idempotency_keys.insert(withAnswer(key, answer, remembering(services, unit)))
      return ok({ kind: 'done', answer })
    }
  }
}

/** Commits the outcome and the answer together. */
async function recordOutcome(
  services: UnitServices,
  { operation, intent }: { operation: Remote; intent: Reserved },
  { request, outcome }: { request: Keyed; outcome: unknown },
): Promise<Answer> {
  const context = contextOf(services, scopeOf(request.caller))
  const result = await inUnit<Answer, DomainError>(services, context, async (unit) => {
    // Together, so that a remote store answers both in one round trip; the key first, as in every unit.
    const [key, kept] = await Promise.all([
      unit.tx.idempotency_keys.lock(request.idempotency_key),
      operation.record(askedBy(request.caller, unit), intent, outcome),
    ])
    if (kept.isErr()) return err(kept.error)
    const answer = answerOf(operation.answer(kept.value), request)
    return ok((await keepAnswer(services, unit, { key, request, answer })) ?? answer)
  })
  return result.isOk() ? result.value : storeResult(services, operation, { request, result })
}

/**
 * For when nothing was written under the key: stores the answer, unless `isStored` says no. If another request has the key by
 * now, looks the key up again.
 */
async function storeResult(
  services: UnitServices,
  operation: Writing,
  { request, result }: { request: Keyed; result: Result<unknown, DomainError> },
): Promise<Answer> {
  const answer = answerOf(result, request)
  if (result.isErr() && !isStored(result.error)) return answer
  return (await storeAnswer(services, request, answer)) ?? answerUnderKey(services, operation, request)
}

/** Not in a transaction of the host: there a fault is thrown, and the host decides whether to keep anything. */
async function storeFault(services: UnitServices, request: Keyed, fault: unknown): Promise<Answer> {
  if (services.joined) throw fault
  const failed = answerOf(fail('internal_error'), request)
  const kept = await storeAnswer(services, request, failed).catch(() => null)
  if (kept === null) throw fault
  const { request_id, operation } = request
  services.logger.error('a request failed', { request_id, operation, fault: inWords(fault) })
  return { ...kept, replayed: false }
}
