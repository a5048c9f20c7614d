import { createHash } from 'node:crypto'
import { type OperationName, ok, type Result } from '@quittance/core'
import type { Sandbox } from '../../packages/testing/src/builders/sandbox.ts'
import type { EngineProcess } from './engine-process.ts'
import type { World } from './world.ts'

/** Something a client, a payer, the dashboard or time asks of an engine, and that a process can die of. */
export interface Flow<Name extends string = string> {
  /** What the process is doing when it dies. */
  sentence: string
  /** Everything up to where the flow begins. Gives what the flow has to know: ids, tokens, secrets. */
  prepare(sandbox: Sandbox, around: Surroundings): Promise<Record<Name, string>>
  /** The same again is what a client does that got no answer. */
  run(process: EngineProcess, known: Record<Name, string>): PromiseLike<Reply>
  /** What it is answered when nobody dies. */
  answer: string
  /** It has an Idempotency-Key: asked again it answers the same bytes. */
  keyed: boolean
  /** Its events go to a receiver that exists, and a restarted process has a dispatcher. */
  delivers?: boolean
  /** Where it may end, beside where it ends when nobody dies. */
  ends?: readonly End[]
  /** What can be different from before it, once reconciled, where its later steps wait for somebody to ask again. */
  halfway?: readonly World[]
}

export interface Surroundings {
  /** Accepts every webhook. */
  receiver: string
  /** Where a merchant's ERP keeps what a sync reads. */
  books: string
}

export interface End {
  /** What somebody is told who asks again. */
  answer: string
  /** What is different from where it ends when nobody dies; nothing unless said. */
  world?: World
}

export interface Reply {
  /** In short: `200 succeeded`, `402 card_declined`, and the code alone where a function refuses. */
  told: string
  body: string
}

export const done: Reply = { told: 'done', body: '{}' }

/** Sends one request the way a transport does. */
export async function ask(
  { engine, caller, browser }: EngineProcess,
  operation: OperationName,
  { input, key }: { input: object; key?: string },
): Promise<Reply> {
  const fingerprint = createHash('sha256')
    .update(`${operation} ${JSON.stringify(input)}`)
    .digest('hex')
  const answer = await engine.execute({
    operation,
    caller: operation === 'payment_method_sessions.confirm' ? browser : caller,
    input: ok(input),
    request_id: `req_${engine.ids.secret(24)}`,
    idempotency_key: key,
    fingerprint,
  })
  const { status: state } = JSON.parse(answer.body) as { status?: string }
  return { told: [answer.status, answer.code ?? state ?? 'done'].join(' '), body: answer.body }
}

/** What a function of the library answered, as a reply. */
export function replyOf(result: Result<object | null, { code: string }>): Reply {
  return result.match(
    (value) => ({ told: 'done', body: JSON.stringify(value) }),
    (error) => ({ told: error.code, body: JSON.stringify(error) }),
  )
}
