import { confirmedSession } from '../builders/requests.ts'
import { draftedInvoice, payerOf } from '../builders/sales.ts'
import { readRows } from '../invariants/rows.ts'
import { type Command, chosen, codeOf, command, mustEqual, nowOf } from './command.ts'
import { sendUnder } from './keys.ts'
import type { Model, ModelInvoice } from './model.ts'
import { addPayment, followOnInvoice, sumsOf } from './money.ts'
import { foreseenCharge } from './tokens.ts'

/** The actions of a dashboard on an invoice. */
type InvoiceAction = 'schedule' | 'send' | 'revokeLinks' | 'cancel'

export function draftInvoice(total: number): Command {
  return command(`draft(${total})`, async (model, { sandbox }) => {
    const id = await draftedInvoice(sandbox, { total })
    model.invoices.push({ id, total, written_off: 0, status: 'draft' })
  })
}

/** Drafts an invoice and sends it: the beginning of most payments of one. */
export function sendNewInvoice(total: number): Command {
  return command(`sendNew(${total})`, async (model, running) => {
    await draftInvoice(total).act(model, running)
    await changeInvoice('send', 0).act(model, running)
  })
}

export function changeInvoice(action: InvoiceAction, drawn: number): Command {
  return command(`${action}(${drawn})`, async (model, { sandbox: { engine, scope } }) => {
    const invoice = chosen(model.invoices, drawn)
    if (!invoice) return
    const expected = statusAfter(action, invoice, sumsOf(model, invoice).pending)
    const changed = await engine.admin.invoices[action](scope, { id: invoice.id })
    mustEqual(action, codeOf(changed), expected === null ? 'conflict' : null)
    if (expected !== null) invoice.status = expected
  })
}

/** Null if the action is refused. */
function statusAfter(
  action: InvoiceAction,
  { status }: ModelInvoice,
  pending: number,
): ModelInvoice['status'] | null {
  switch (action) {
    case 'schedule':
      return status === 'draft' ? 'open' : null
    case 'send':
      return status === 'draft' || status === 'open' ? 'open' : null
    case 'cancel':
      return status === 'open' && pending === 0 ? 'canceled' : null
    case 'revokeLinks':
      return status
  }
}

/** Writes off what is due on an invoice, or `amount` of it. */
export function writeOff(drawn: number, amount: number | undefined): Command {
  return command(`writeOff(${drawn}, ${amount ?? 'all'})`, async (model, { sandbox: { engine, scope } }) => {
    const invoice = chosen(model.invoices, drawn)
    if (!invoice) return
    const { due } = sumsOf(model, invoice)
    const input = { id: invoice.id, ...(amount === undefined ? {} : { amount }) }
    const written = await engine.admin.invoices.writeOff(scope, input)
    const too_much = amount !== undefined && amount > due
    const expected = due === 0 ? 'conflict' : too_much ? 'parameter_invalid' : null
    mustEqual('writeOff', codeOf(written), expected)
    if (expected !== null) return
    invoice.written_off += amount ?? due
    followOnInvoice(model, invoice)
  })
}

interface Paying {
  drawn: number
  token: string
  amount: number | undefined
  key: string
}

/** Pays all that is due on an invoice, or `amount`, through the API. */
export function payInvoice({ drawn, token, amount: asked, key }: Paying): Command {
  return command(`payInvoice(${drawn}, ${token}, ${asked ?? 'all'}, ${key})`, async (model, running) => {
    const invoice = chosen(model.invoices, drawn)
    if (!invoice) return
    const { sandbox } = running
    const amount = asked ?? dueOrTotal(model, invoice)
    const { id } = await confirmedSession(sandbox, token, { amount })
    const now_ms = nowOf(running)
    const refused = expectedPay(model, invoice, amount)
    const input = { amount, currency: 'USD', payment_method_session: id, invoice: invoice.id }
    const answer = await sendUnder({ model, running }, 'payments.create', { input, key })
    if (answer === null) return
    mustEqual('payments.create', answer.code, refused ?? foreseenCharge(token, now_ms).code)
    if (refused !== null) return
    const body = JSON.parse(answer.body)
    const payment = body.error?.payment ?? body.id
    addPayment(model, { id: payment, token, amount, invoice }, now_ms)
  })
}

function expectedPay(model: Model, invoice: ModelInvoice, amount: number): string | null {
  if (invoice.status === 'draft') return 'resource_missing'
  return amount > sumsOf(model, invoice).due ? 'parameter_invalid' : null
}

/** Pays on an invoice's page all that is due; or, if nothing is due any more, what was. */
export function payInvoiceOnPage(drawn: number, token: string): Command {
  return command(`payInvoiceOnPage(${drawn}, ${token})`, async (model, running) => {
    const invoice = chosen(model.invoices, drawn)
    if (!invoice) return
    const { sandbox } = running
    const amount = dueOrTotal(model, invoice)
    const { id } = await confirmedSession(sandbox, token, { amount })
    const now_ms = nowOf(running)
    const settled = sumsOf(model, invoice).due === 0
    const refused = invoice.status === 'draft' ? 'resource_missing' : settled ? 'conflict' : null
    const input = { id: invoice.id, payment_method_session: id, amount }
    const paid = await sandbox.engine.invoices.pay(payerOf(sandbox), input)
    mustEqual('invoices.pay', codeOf(paid), refused ?? foreseenCharge(token, now_ms).code)
    if (refused !== null) return
    // The page does not name its payment, but that is the newest.
    const { payments } = await readRows(sandbox.store, sandbox.scope)
    const payment = payments.findLast((one) => one.invoice === invoice.id)?.id ?? ''
    addPayment(model, { id: payment, token, amount, invoice, hidden: true }, now_ms)
  })
}

/** What a payer saw on the page before, if nothing is due any more. */
function dueOrTotal(model: Model, invoice: ModelInvoice): number {
  return sumsOf(model, invoice).due || invoice.total
}
