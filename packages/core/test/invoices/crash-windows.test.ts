import { describe, expect, it } from 'vitest'
import { accepted, confirmedSession, send } from '../../../testing/src/builders/requests.ts'
import {
  advance,
  payerOf,
  payInvoice,
  payInvoiceOnPage,
  refund,
  sentInvoice,
  shownInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { dyingIn, everywhere } from '../simulation/dying-process.ts'

type Way = [name: string, pay: (process: Sandbox, invoice: string, session: string) => Promise<unknown>]

const ways: Way[] = [
  [
    'through the API',
    (process, invoice, payment_method_session) => {
      const input = { amount: 1000, currency: 'usd', payment_method_session, invoice }
      return send(process, 'payments.create', { input, key: 'k' })
    },
  ],
  [
    'on its page with a key',
    async (process, id, payment_method_session) => {
      const input = { id, payment_method_session, amount: 1000 }
      return await process.engine.invoices.pay(payerOf(process), input, { idempotency_key: 'k' })
    },
  ],
  [
    'on its page without a key',
    async (process, id, payment_method_session) => {
      const input = { id, payment_method_session, amount: 1000 }
      return await process.engine.invoices.pay(payerOf(process), input)
    },
  ],
]

const tokens = ['tok_test_visa', 'tok_test_declined', 'tok_test_unknown_approved', 'btok_test_refused']
const cases = ways.flatMap(([name, pay]) => tokens.map((token) => [name, token, pay] as const))

describe('a process that dies at any call', () => {
  it.each(cases)(
    'while an invoice is paid %s with %s leaves it paid or due, by what was charged',
    async (_, token, pay) => {
      await everywhere(async (plan, about) => {
        const sandbox = await openSandbox()
        const { id } = await sentInvoice(sandbox)
        const { id: session } = await confirmedSession(sandbox, token)
        const calls = await dyingIn(sandbox, plan, (process) => pay(process, id, session))
        await expectInvariants(sandbox, about)
        await expectQuiet(sandbox, about)
        const paid = sandbox.processor.ledger.totals().USD?.captured ?? 0
        expect({ about, ...(await shownInvoice(sandbox, id)) }).toMatchObject({
          about,
          status: paid === 1000 ? 'paid' : 'open',
          amount_paid: paid,
          amount_pending: 0,
          amount_due: 1000 - paid,
        })
        return calls
      })
    },
  )

  it('while an invoice is paid holds its amount as pending, so that nobody else pays it meanwhile', async () => {
    const sandbox = await openSandbox()
    const { id } = await sentInvoice(sandbox)
    const { id: session } = await confirmedSession(sandbox, 'tok_test_visa')
    const input = { id, payment_method_session: session, amount: 1000 }
    await dyingIn(
      sandbox,
      ({ method }) => (method === 'charge' ? 'after' : 'lives'),
      async (process) => await process.engine.invoices.pay(payerOf(process), input),
    )
    expect(await shownInvoice(sandbox, id)).toMatchObject({ amount_pending: 1000, amount_due: 0 })
    const other = await payInvoice(sandbox, 'tok_test_visa', { invoice: id, amount: 1 })
    expect(other.isErr() && other.error.param).toBe('amount')
    await advance(sandbox, 60)
    expect((await shownInvoice(sandbox, id)).status).toBe('paid')
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it('while it reconciles invoices leaves the rest to the next one, and no cent is counted twice', async () => {
    await everywhere(async (plan, about) => {
      const sandbox = await openSandbox()
      const tokens = ['tok_test_unknown_approved', 'btok_test_late_return', 'btok_test_refused']
      for (const token of tokens) {
        const { id: invoice } = await sentInvoice(sandbox)
        await payInvoice(sandbox, token, { invoice, amount: 600 })
        await payInvoiceOnPage(sandbox, token, { invoice, amount: 400 })
      }
      const { id: invoice } = await sentInvoice(sandbox)
      const whole = { invoice, amount: 1000 }
      const { id: payment } = accepted(await payInvoice(sandbox, 'tok_test_refund_pending', whole))
      await refund(sandbox, { payment, amount: 300 })
      sandbox.clock.advance(3 * 86_400_000)
      const calls = await dyingIn(sandbox, plan, ({ engine }) => engine.reconcile())
      await expectInvariants(sandbox, about)
      await expectQuiet(sandbox, about)
      return calls
    })
  })
})
