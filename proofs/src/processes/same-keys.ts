import type { Response } from './calls.ts'
import type { EngineChild } from './engine-child.ts'
import { type Field, pickWorkspace } from './field.ts'
import { inLanes } from './lanes.ts'

const lanes = 24

/** So many processes ask for one payment. */
const askers = 3

const tokens = [
  ...Array<string>(14).fill('tok_test_visa'),
  ...Array<string>(2).fill('tok_test_declined'),
  ...Array<string>(2).fill('tok_test_insufficient_funds'),
  'tok_test_unknown_approved',
  'tok_test_unreachable',
]

/** Names what a key asked for, so that its rows can be found: the payment's reference. */
export const keyed = /^key-\d+$/

/**
 * Asks several processes at the same time for a payment under one key, each until it has an answer for good; every
 * fourth key is asked for once more later. Gives back what each key was answered: all that asked were told the same.
 */
export async function sameKeys(field: Field, count: number): Promise<string[]> {
  const answers: string[] = []
  await inLanes(count, lanes, async (index) => {
    answers.push(await sameKey(field, index))
  })
  return answers
}

async function sameKey(field: Field, index: number): Promise<string> {
  const { children, random, findings } = field
  const workspace = pickWorkspace(field)
  const key = `key-${index}`
  const input = {
    ...{ amount: 1 + random.below(10_000), currency: 'USD', reference: key },
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

/** As a client does that was told to come back shortly with the same key. */
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
