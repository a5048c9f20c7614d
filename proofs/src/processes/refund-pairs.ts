import { type ErrorCode, statusOf } from '@quittance/core'
import type { Response } from './calls.ts'
import type { EngineChild } from './engine-child.ts'
import { type Fleet, pickWorkspace } from './fleet.ts'
import { inLanes } from './lanes.ts'

const amount = 1_000
const lanes = 32

/** The codes that `POST /refunds` may return for an existing payment if the bank refuses nothing (specification: Errors). */
const specified = new Set<string | null>([
  null,
  'refund_in_flight',
  'refund_amount_exceeds_balance',
  'payment_not_refundable',
])

const refusing_token = 'tok_test_refund_refused'

const tokens = [
  ...Array<string>(6).fill('tok_test_visa'),
  ...Array<string>(2).fill('tok_test_refund_pending'),
  'tok_test_refund_fails',
  refusing_token,
]

/**
 * Makes payments, and requests from two processes at the same time refunds that together exceed each payment. Resolves to
 * the response of each request: at most one of the two is accepted.
 */
export async function refundPairs(fleet: Fleet, count: number): Promise<string[]> {
  const answers: string[] = []
  await inLanes(count, lanes, async (index) => {
    for (const { code } of await refundPair(fleet, index)) answers.push(code ?? 'accepted')
  })
  return answers
}

async function refundPair(fleet: Fleet, index: number): Promise<Response[]> {
  const { random, findings } = fleet
  const workspace = pickWorkspace(fleet)
  const token = random.pick(tokens)
  const paid = await random.pick(fleet.children).ask('execute', {
    operation: 'payments.create',
    workspace: workspace.id,
    key: `pair-${index}`,
    input: { amount, currency: 'USD', payment_method: workspace.card(token) },
  })
  findings.expect(paid.status === 200, `a payment to refund was answered ${paid.body}`)
  const { id: payment } = JSON.parse(paid.body) as { id: string }
  const first = 1 + random.below(amount)
  const second = amount + 1 - first + random.below(first)
  const ask = (child: EngineChild, n: number, amount: number) =>
    child.ask('execute', {
      operation: 'refunds.create',
      workspace: workspace.id,
      key: `refund-${index}-${n}`,
      input: { payment, amount },
    })
  const [one, other] = twoOf(fleet)
  const answers = await Promise.all([ask(one, 0, first), ask(other, 1, second)])
  // A request that collided with the other is repeated once that has its response: now only the balance can refuse.
  for (const [n, amount] of [first, second].entries()) {
    if (answers[n]?.code === 'refund_in_flight')
      answers.push(await ask(random.pick(fleet.children), n + 2, amount))
  }
  for (const { status, code, body } of answers) {
    const known = specified.has(code) || (code === 'refund_failed' && token === refusing_token)
    const said = known && status === (code === null ? 200 : statusOf(code as ErrorCode))
    findings.expect(said, `a refund of ${payment} was answered ${status} ${body}`)
  }
  const accepted = answers.filter(({ code }) => code === null)
  findings.expect(accepted.length < 2, `${payment}: refunds of ${first} and ${second} were both accepted`)
  return answers
}

function twoOf({ children, random }: Fleet): [EngineChild, EngineChild] {
  const one = random.pick(children)
  return [one, random.pick(children.filter((child) => child !== one))]
}
