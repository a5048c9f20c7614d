import type { IdempotencyKeyRow } from '../../idempotency-keys/idempotency-key.ts'
import type { Units } from '../../kernel/operation.ts'
import type { Scope, Transaction } from '../../ports/store.ts'
import { day_ms, shifted } from '../../schema/timestamps.ts'
import { operationNamed } from '../operations.ts'
import { answerOf } from '../request/answer.ts'
import type { UnitServices } from '../services.ts'
import { unitsOf, write } from '../unit-of-work/unit-of-work.ts'
import { withAnswer } from './key-decisions.ts'

/**
 * Finishes what a dead process left under a key: looks the recorded intent up at the processor and stores the
 * resulting answer. A key without an intent is deleted, so that a retry starts afresh.
 */
export async function healKey(services: UnitServices, scope: Scope, key: string): Promise<void> {
  const units = unitsOf(services, scope)
  const abandoned = await units.read((rows) => rows.idempotency_keys.get(key))
  if (!abandoned || abandoned.lease_until === null || abandoned.lease_until > units.now) return
  const result = await recover(units, abandoned)
  await units.write(async ({ tx, now }) => {
    const current = await tx.idempotency_keys.lock(key)
    if (current?.request_id !== abandoned.request_id || current.lease_until === null) return
    // The clock went back meanwhile: it may have been ahead, and then the request was not abandoned.
    if (current.lease_until > now) return
    if (result === null) await tx.idempotency_keys.delete(key)
    else {
      const answer = answerOf(result, current)
      const retention_ms = services.idempotency_retention_ms
      await tx.idempotency_keys.update(withAnswer(current, answer, { now, retention_ms, announced: [] }))
    }
  })
}

/** What the request would have answered; null if it left no intent. */
async function recover(units: Units, { operation: name, intent }: IdempotencyKeyRow) {
  const operation = operationNamed(name)
  if (operation.kind !== 'remote' || operation.recover === null || intent === null) return null
  const kept = await operation.recover(units, intent)
  return kept && operation.answer(kept)
}

/** Heals a due key that was abandoned. Deletes a due key that was answered, once the object it made can no longer move. */
export async function healOrForgetKey(services: UnitServices, scope: Scope, key: string): Promise<void> {
  await healKey(services, scope, key)
  await write(services, scope, async ({ tx, now }) => {
    const row = await tx.idempotency_keys.lock(key)
    if (!row || row.due_at === null || row.due_at > now || row.lease_until !== null) return
    const moving = await isMoving(tx, row.intent ?? '')
    if (moving) await tx.idempotency_keys.update({ ...row, due_at: shifted(now, day_ms) })
    else await tx.idempotency_keys.delete(key)
  })
}

/** Whether this is a payment or refund that is still looked up, or a page that can still be paid. */
async function isMoving({ payments, refunds, checkout_sessions }: Transaction, id: string): Promise<boolean> {
  const money = (await payments.get(id)) ?? (await refunds.get(id))
  return money?.due_at != null || (await checkout_sessions.get(id))?.status === 'open'
}
