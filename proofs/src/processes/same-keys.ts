import type { Response } from './calls.ts'
import type { EngineChild } from './engine-child.ts'
import { type Fleet, pickWorkspace } from './fleet.ts'
import { inLanes } from './lanes.ts'

const lanes = 24

/** How many processes request one payment. */
const askers = 3

const tokens = [
  ...Array<string>(14).fill('tok_test_visa'),
  ...Array<string>(2).fill('tok_test_declined'),
  ...Array<string>(2).fill('tok_test_insufficient_funds'),
  'tok_test_unknown_approved',
  'tok_test_unreachable',
]

/** The reference of a payment that was requested under a key, by which its rows can be found. */
export const keyed = /^key-\d+$/

/**
 * Requests a payment from several processes at the same time under one key, each until a final response comes; every fourth
 * key is used once more later. Resolves to the response under each key, which must be the same for all.
 */
export async function sameKeys(fleet: Fleet, count: number): Promise<string[]> {
  const answers: string[] = []
  await inLanes(count, lanes, async (index) => {
    answers.push(await sameKey(fleet, index))
  })
  return answers
}

async function sameKey(fleet: Fleet, index: number): Promise<string> {
  const { children, random, findings } = fleet
  const workspace = pickWorkspace(fleet)
  const key = `key-${index}`
  const input = {
    amount: 1 + random.below(10_000),
    currency: 'USD',
    reference: key,
    payment_method: workspace.card(random.pick(tokens)),
  }
  const first = random.below(children.length)
  const asked = Array.from(
    { length: Math.min(askers, children.length) },
    (_, n) => children[(first + n) % children.length] ?? random.pick(children),
  )
  const ask = (child: EngineChild) => untilAnswered(child, { workspace: workspace.id, key, input })
  const answers = await Promise.all(asked.map(ask))
  if (index % 4 === 0) answers.push(await ask(random.pick(children)))
  const told = new Set(answers.map(({ status, body }) => `${status} ${body}`))
  findings.expect(told.size === 1, `${key} was answered in ${told.size} ways: ${[...told].join(' | ')}`)
  const code = answers[0]?.code ?? null
  findings.expect(code === null || code === 'card_declined', `${key} was answered ${code}`)
  return code ?? 'accepted'
}

/** Retries as a client does that was told to come back shortly with the same key. */
async function untilAnswered(
  child: EngineChild,
  request: { workspace: string; key: string; input: Record<string, unknown> },
): Promise<Response> {
  for (;;) {
    const answer = await child.ask('execute', { operation: 'payments.create', ...request })
    if (answer.code !== 'idempotency_key_in_flight') return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
