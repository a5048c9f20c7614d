import type { Request, Response } from './calls.ts'
import type { EngineChild } from './engine-child.ts'
import { type Fleet, pickWorkspace } from './fleet.ts'
import { until } from './lanes.ts'

/** Payments and refunds through every process, until the load is stopped. */
export interface Load {
  /** How many payments each process has taken, in the order of the processes. */
  readonly paid: readonly number[]
  readonly answered: readonly Answered[]
  /** How often a request was repeated, because no response came or its first try was still in flight. */
  readonly repeated: number
  /** Resolves once every process has taken `more` payments; rejects if one does not within a minute. */
  untilPaid(more: number): Promise<void>
  /** Has every process take one more payment, requested now. */
  payNow(): Promise<void>
  /** Resolves once every request has its response. */
  stop(): Promise<void>
}

/** A request, its final response, and when that came. */
export interface Answered {
  request: Request
  response: Response
  asked_ms: number
  answered_ms: number
}

const lanes_per_process = 8
const patience_ms = 60_000

const tokens = [
  ...Array<string>(7).fill('tok_test_visa'),
  'tok_test_declined',
  'tok_test_unknown_approved',
  'tok_test_refund_pending',
]

export function startLoad(fleet: Fleet): Load {
  const { children, random, findings } = fleet
  const paid = children.map(() => 0)
  const answered: Answered[] = []
  let stopped = false
  let begun = 0
  let repeated = 0

  async function ask(child: EngineChild, request: Request): Promise<Response> {
    const asked_ms = performance.now()
    let tries = 0
    const response = await untilAnswered(child, request, (because) => {
      tries += 1
      const own = tries === 1 && because === 'in flight'
      findings.expect(!own, `${request.key} is in flight, and nobody else has asked for it`)
    })
    repeated += tries
    answered.push({ request, response, asked_ms, answered_ms: performance.now() })
    return response
  }

  /** Resolves to the payment's id and its workspace, or to null if the card is declined. */
  async function pay(child: EngineChild, token: string) {
    begun += 1
    const key = `key-${begun}`
    const { id: workspace, card } = pickWorkspace(fleet)
    const input = { amount: 1_000, currency: 'USD', reference: key, payment_method: card(token) }
    const { code, body } = await ask(child, { operation: 'payments.create', workspace, key, input })
    if (code !== null) return null
    const of = children.indexOf(child)
    paid[of] = (paid[of] ?? 0) + 1
    const { id: payment } = JSON.parse(body) as { id: string }
    return { payment, workspace }
  }

  async function lane(child: EngineChild): Promise<void> {
    while (!stopped) {
      const made = await pay(child, random.pick(tokens))
      if (made === null || random.below(3) > 0) continue
      const { payment, workspace } = made
      const input = { payment, amount: 1 + random.below(1_000) }
      await ask(child, { operation: 'refunds.create', workspace, key: `refund-${payment}`, input })
    }
  }

  const running = children.flatMap((child) =>
    Array.from({ length: lanes_per_process }, () =>
      lane(child).catch((fault) => findings.expect(false, `a request has no answer: ${fault}`)),
    ),
  )
  return {
    paid,
    answered,
    get repeated() {
      return repeated
    },
    async untilPaid(more) {
      const goals = paid.map((count) => count + more)
      const reached = () => goals.every((goal, of) => (paid[of] ?? 0) >= goal)
      if (!(await until(reached, { patience_ms, look_ms: 5 })))
        throw new Error(`no payment succeeds for ${patience_ms} ms`)
    },
    async payNow() {
      await Promise.all(children.map((child) => pay(child, 'tok_test_visa')))
    },
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

/** Retries as a client does: under the same key, until a final response comes. */
async function untilAnswered(
  child: EngineChild,
  request: Request,
  again: (because: 'in flight' | 'fault') => void,
): Promise<Response> {
  const end_ms = performance.now() + patience_ms
  for (;;) {
    try {
      const answer = await child.ask('execute', request)
      if (answer.code !== 'idempotency_key_in_flight') return answer
      again('in flight')
    } catch (fault) {
      if (performance.now() > end_ms) throw fault
      again('fault')
    }
    if (performance.now() > end_ms) throw new Error(`${request.key} is still in flight`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
