import { type ErrorCode, statusOf } from '@quittance/core'
import type { Response } from './calls.ts'
import type { EngineChild } from './engine-child.ts'
import { type Field, pickWorkspace } from './field.ts'
import { inLanes } from './lanes.ts'

const amount = 1_000
const lanes = 32

/** What `POST /refunds` may say of a payment that is there (specification: Errors). */
const specified = new Set<string | null>([
  null,
  'refund_in_flight',
  'refund_amount_exceeds_balance',
  'refund_failed',
  'payment_not_refundable',
])

const tokens = [
  ...Array<string>(6).fill('tok_test_visa'),
  ...Array<string>(2).fill('tok_test_refund_pending'),
  'tok_test_refund_fails',
  'tok_test_refund_refused',
]

/**
 * Pays, and asks two processes at the same time for refunds of it that together exceed it. Gives back what each of
 * the two requests was answered: one of them is accepted at most.
 */
export async function refundPairs(field: Field, count: number): Promise<string[]> {
  const answers: string[] = []
  await inLanes(count, lanes, async (index) => {
    for (const { code } of await refundPair(field, index)) answers.push(code ?? 'accepted')
  })
  return answers
}

async function refundPair(field: Field, index: number): Promise<Response[]> {
  const { random, findings } = field
  const workspace = pickWorkspace(field)
  const card = workspace.card(random.pick(tokens))
  const paid = await random.pick(field.children).ask('execute', {
    operation: 'payments.create',
    workspace: workspace.id,
    key: `pair-${index}`,
    input: { amount, currency: 'USD', payment_method: card },
  })
  findings.expect(paid.status === 200, `a payment to refund was answered ${paid.body}`)
  const { id: payment } = JSON.parse(paid.body) as { id: string }
  const first = 1 + random.below(amount)
  const second = amount + 1 - first + random.below(first)
  const answers = await Promise.all(
    twoOf(field).map((child, n) =>
      child.ask('execute', {
        operation: 'refunds.create',
        workspace: workspace.id,
        key: `refund-${index}-${n}`,
        input: { payment, amount: n === 0 ? first : second },
      }),
    ),
  )
  for (const { status, code, body } of answers) {
    const said = specified.has(code) && status === (code === null ? 200 : statusOf(code as ErrorCode))
    findings.expect(said, `a refund of ${payment} was answered ${status} ${body}`)
  }
  const accepted = answers.filter(({ code }) => code === null)
  findings.expect(accepted.length < 2, `${payment}: refunds of ${first} and ${second} were both accepted`)
  return answers
}

function twoOf({ children, random }: Field): EngineChild[] {
  const one = random.pick(children)
  return [one, random.pick(children.filter((child) => child !== one))]
}
