import { describe, expect, it } from 'vitest'
import { accepted, shownPayment } from '../../../testing/src/builders/requests.ts'
import {
  advance,
  helpersOf,
  payInvoice,
  refund,
  sentInvoice,
  shownInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from '../operations/refusals.ts'

async function sent(options: Parameters<typeof sentInvoice>[1] = {}) {
  const sandbox = await openSandbox()
  const { id } = await sentInvoice(sandbox, options)
  const amounts = async () => {
    const { status, amount_paid, amount_pending, amount_due } = await shownInvoice(sandbox, id)
    return [status, amount_paid, amount_pending, amount_due]
  }
  const pay = (token: string, amount: number) => payInvoice(sandbox, token, { invoice: id, amount })
  return { sandbox, id, amounts, pay }
}

const beyond = { code: 'parameter_invalid', param: 'amount' }

describe('a payment that names an invoice', () => {
  it('is applied to it, and pays it when all is covered', async () => {
    const { sandbox, id, amounts, pay } = await sent()
    const first = accepted(await pay('tok_test_visa', 400))
    expect((await shownPayment(sandbox, first.id)).invoice).toBe(id)
    expect(await amounts()).toEqual(['open', 400, 0, 600])
    accepted(await pay('tok_test_visa', 600))
    expect(await amounts()).toEqual(['paid', 1000, 0, 0])
  })

  it('and is a debit is pending, and not asked for again, until it settles', async () => {
    const { sandbox, amounts, pay } = await sent()
    accepted(await pay('btok_test_success', 1000))
    expect(await amounts()).toEqual(['open', 0, 1000, 0])
    expect(refusal(await pay('tok_test_visa', 1))).toEqual(beyond)
    await advance(sandbox, 60)
    expect(await amounts()).toEqual(['paid', 1000, 0, 0])
  })

  it.each(['btok_test_refused', 'btok_test_account_closed', 'tok_test_unknown_declined'])(
    'and fails or bounces later (%s) is owed again',
    async (token) => {
      const { sandbox, amounts, pay } = await sent()
      accepted(await pay(token, 700))
      expect(await amounts()).toEqual(['open', 0, 700, 300])
      await advance(sandbox, 60)
      expect(await amounts()).toEqual(['open', 0, 0, 1000])
    },
  )

  it.each(['tok_test_declined', 'tok_test_unreachable'])(
    'and is refused (%s) changes nothing',
    async (token) => {
      const { amounts, pay } = await sent()
      expect(refusal(await pay(token, 1000))).toEqual({ code: 'card_declined' })
      expect(await amounts()).toEqual(['open', 0, 0, 1000])
    },
  )

  it('and is voided is owed again', async () => {
    const { sandbox, amounts, pay } = await sent()
    const { id } = accepted(await pay('btok_test_success', 700))
    accepted(await sandbox.engine.admin.payments.void(sandbox.scope, { id }))
    expect(await amounts()).toEqual(['open', 0, 0, 1000])
  })

  it('may take all that is due and not one cent more', async () => {
    const { amounts, pay } = await sent()
    expect(refusal(await pay('tok_test_visa', 1001))).toEqual(beyond)
    accepted(await pay('tok_test_visa', 999))
    expect(refusal(await pay('tok_test_visa', 2))).toEqual(beyond)
    accepted(await pay('tok_test_visa', 1))
    expect(await amounts()).toEqual(['paid', 1000, 0, 0])
    expect(refusal(await pay('tok_test_visa', 1))).toEqual(beyond)
  })

  it('in another currency is refused, and so is one that names no invoice of ours', async () => {
    const { sandbox, amounts, pay } = await sent({ currency: 'CAD' })
    expect(refusal(await pay('tok_test_visa', 10))).toEqual({ code: 'parameter_invalid', param: 'currency' })
    expect(await amounts()).toEqual(['open', 0, 0, 1000])
    const nowhere = await payInvoice(sandbox, 'tok_test_visa', { invoice: 'none', amount: 10 })
    expect(refusal(nowhere)).toEqual({ code: 'resource_missing', param: 'invoice' })
    expect(sandbox.processor.ledger.charges()).toEqual([])
  })

  it('is paid only when nothing is pending beside what covers it', async () => {
    const { sandbox, amounts, pay, id } = await sent()
    accepted(await pay('btok_test_never_settles', 400))
    accepted(await pay('tok_test_visa', 600))
    expect(await amounts()).toEqual(['open', 600, 400, 0])
    const { engine, caller } = sandbox
    const pending = accepted(await engine.payments.list(caller, { status: 'processing' })).data[0]
    accepted(await helpersOf(engine).payment.settle(caller, { id: pending?.id }))
    expect((await shownInvoice(sandbox, id)).status).toBe('paid')
  })
})

describe('a refund of a payment on an invoice', () => {
  it('lowers amount_paid and is due again while the invoice is open', async () => {
    const { sandbox, amounts, pay } = await sent()
    const { id: payment } = accepted(await pay('tok_test_visa', 600))
    accepted(await refund(sandbox, { payment, amount: 250 }))
    expect(await amounts()).toEqual(['open', 350, 0, 650])
    accepted(await pay('tok_test_visa', 650))
    expect(await amounts()).toEqual(['paid', 1000, 0, 0])
  })

  it('lowers amount_paid and leaves a paid invoice paid', async () => {
    const { sandbox, amounts, pay } = await sent()
    const { id: payment } = accepted(await pay('tok_test_visa', 1000))
    accepted(await refund(sandbox, { payment }))
    expect(await amounts()).toEqual(['paid', 0, 0, 0])
    expect(refusal(await pay('tok_test_visa', 1))).toEqual(beyond)
  })

  it.each([
    ['tok_test_refund_pending', 700],
    ['tok_test_refund_fails', 1000],
  ])('moves nothing while it is pending (%s)', async (token, paid) => {
    const { sandbox, amounts, pay } = await sent()
    const { id: payment } = accepted(await pay(token, 1000))
    accepted(await refund(sandbox, { payment, amount: 300 }))
    expect(await amounts()).toEqual(['paid', 1000, 0, 0])
    await advance(sandbox, 3600)
    expect(await amounts()).toEqual(['paid', paid, 0, 0])
  })
})

describe('a return or chargeback of a payment on an invoice', () => {
  it.each(['tok_test_chargeback', 'btok_test_late_return'])('reopens it (%s)', async (token) => {
    const { sandbox, amounts, pay } = await sent()
    accepted(await pay(token, 1000))
    await advance(sandbox, 60)
    expect(await amounts()).toEqual(['paid', 1000, 0, 0])
    await advance(sandbox, 4 * 86_400)
    expect(await amounts()).toEqual(['open', 0, 0, 1000])
    accepted(await pay('tok_test_visa', 1000))
    expect(await amounts()).toEqual(['paid', 1000, 0, 0])
  })

  it('takes away only what was not refunded already', async () => {
    const { sandbox, amounts, pay } = await sent()
    accepted(await pay('tok_test_visa', 400))
    const { id: payment } = accepted(await pay('tok_test_chargeback', 600))
    accepted(await refund(sandbox, { payment, amount: 200 }))
    expect(await amounts()).toEqual(['paid', 800, 0, 0])
    await advance(sandbox, 3 * 86_400)
    expect(await amounts()).toEqual(['open', 400, 0, 600])
  })

  it('reopens it also where all of the payment was refunded already', async () => {
    const { sandbox, amounts, pay } = await sent()
    const { id: payment } = accepted(await pay('tok_test_chargeback', 1000))
    accepted(await refund(sandbox, { payment, amount: 1000 }))
    expect(await amounts()).toEqual(['paid', 0, 0, 0])
    await advance(sandbox, 3 * 86_400)
    expect((await shownPayment(sandbox, payment)).status).toBe('returned')
    expect(await amounts()).toEqual(['open', 0, 0, 1000])
  })

  it('counts a refund that was pending when it came only once', async () => {
    const { sandbox, amounts, pay } = await sent()
    const { engine, caller } = sandbox
    accepted(await pay('tok_test_visa', 500))
    const { id: payment } = accepted(await pay('tok_test_refund_pending', 500))
    accepted(await refund(sandbox, { payment, amount: 300 }))
    accepted(await helpersOf(engine).payment.chargeback(caller, { id: payment }))
    expect(await amounts()).toEqual(['open', 500, 0, 500])
    await advance(sandbox, 3600)
    expect(await amounts()).toEqual(['open', 500, 0, 500])
  })

  it('of a canceled invoice leaves it canceled', async () => {
    const { sandbox, amounts, pay, id } = await sent()
    accepted(await pay('tok_test_chargeback', 300))
    accepted(await sandbox.engine.admin.invoices.cancel(sandbox.scope, { id }))
    await advance(sandbox, 3 * 86_400)
    expect(await amounts()).toEqual(['canceled', 0, 0, 0])
  })
})

describe('a write-off', () => {
  const writeOff = ({ engine, scope }: Sandbox, input: { id: string; amount?: number }) =>
    engine.admin.invoices.writeOff(scope, input)

  it('of a part lowers what is due, and the rest paid settles the invoice', async () => {
    const { sandbox, amounts, pay, id } = await sent()
    accepted(await writeOff(sandbox, { id, amount: 300 }))
    expect(await amounts()).toEqual(['open', 0, 0, 700])
    expect(refusal(await pay('tok_test_visa', 701))).toEqual(beyond)
    accepted(await pay('tok_test_visa', 700))
    expect(await amounts()).toEqual(['paid', 700, 0, 0])
  })

  it('of a part that is all the rest settles it, and no cent beyond the rest is written off', async () => {
    const { sandbox, amounts, pay, id } = await sent()
    accepted(await pay('tok_test_visa', 400))
    expect(refusal(await writeOff(sandbox, { id, amount: 601 }))).toEqual(beyond)
    accepted(await writeOff(sandbox, { id, amount: 600 }))
    expect(await amounts()).toEqual(['paid', 400, 0, 0])
  })

  it('of all that is due settles it, and another one is a conflict', async () => {
    const { sandbox, amounts, pay, id } = await sent()
    accepted(await pay('tok_test_visa', 100))
    accepted(await writeOff(sandbox, { id }))
    expect(await amounts()).toEqual(['paid', 100, 0, 0])
    expect(refusal(await writeOff(sandbox, { id }))).toEqual({ code: 'conflict' })
  })

  it('beside pending money settles it only when that settles', async () => {
    const { sandbox, amounts, pay, id } = await sent()
    accepted(await pay('btok_test_success', 600))
    accepted(await writeOff(sandbox, { id }))
    expect(await amounts()).toEqual(['open', 0, 600, 0])
    await advance(sandbox, 60)
    expect(await amounts()).toEqual(['paid', 600, 0, 0])
  })

  it('of more than is due is refused, and of nothing as well', async () => {
    const { sandbox, amounts, id } = await sent()
    expect(refusal(await writeOff(sandbox, { id, amount: 1001 }))).toEqual(beyond)
    expect(refusal(await writeOff(sandbox, { id, amount: 0 }))).toEqual(beyond)
    expect(refusal(await writeOff(sandbox, { id: 'none' }))).toEqual({ code: 'resource_missing' })
    expect(await amounts()).toEqual(['open', 0, 0, 1000])
  })
})

describe('a cancellation', () => {
  it('is refused while money is pending, and works once it is not', async () => {
    const { sandbox, amounts, pay, id } = await sent()
    const { engine, scope } = sandbox
    accepted(await pay('btok_test_refused', 200))
    expect(refusal(await engine.admin.invoices.cancel(scope, { id }))).toEqual({ code: 'conflict' })
    await advance(sandbox, 60)
    accepted(await engine.admin.invoices.cancel(scope, { id }))
    expect(await amounts()).toEqual(['canceled', 0, 0, 0])
    expect(refusal(await pay('tok_test_visa', 1))).toEqual(beyond)
    expect(refusal(await engine.admin.invoices.cancel(scope, { id }))).toEqual({ code: 'conflict' })
    expect(refusal(await engine.admin.invoices.send(scope, { id }))).toEqual({ code: 'conflict' })
  })
})
