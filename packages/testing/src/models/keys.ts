import type { Answer, OperationName } from '@quittance/core'
import { send } from '../builders/requests.ts'
import { mustEqual, type Running } from './command.ts'
import type { Model } from './model.ts'

/**
 * Sends a request under an Idempotency-Key. Null if the key had been used: then the stored response was replayed, or a
 * different request was refused, and the processor was not called.
 */
export async function sendUnder(
  { model, running }: { model: Model; running: Running },
  operation: OperationName,
  { input, key }: { input: object; key: string },
): Promise<Answer | null> {
  const { sandbox, rows } = running
  const { ledger } = sandbox.processor
  const heard = () => ledger.charges().length + ledger.refunds().length
  const before = heard()
  const answer = await send(sandbox, operation, { input, key })
  const seen = model.keys.get(key)
  const text = `${operation} ${JSON.stringify(input)}`
  // The engine may have forgotten the key meanwhile, but never sooner than it says.
  if (!seen || !rows.idempotency_keys.some(({ id }) => id === key)) {
    model.keys.set(key, { input: text, status: answer.status, body: answer.body })
    return answer
  }
  const same = seen.input === text
  mustEqual('a used key', answer.replayed, same)
  mustEqual('a used key', answer.code === 'idempotency_key_reused', !same)
  if (same) mustEqual('a replay', `${answer.status} ${answer.body}`, `${seen.status} ${seen.body}`)
  mustEqual('requests to the processor after a used key', heard(), before)
  return null
}
