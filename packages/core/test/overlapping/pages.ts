import { confirmedSession } from '../../../testing/src/builders/requests.ts'
import { shownCheckout } from '../../../testing/src/builders/sales.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { of_invoice_money } from './money.ts'
import { acted, asked, type Draw } from './world.ts'

/** Two tabs with a session each, or one session on two pages. */
const pay_page: Draw = async (world) => {
  const { sandbox, random } = world
  const id = await world.one('checkout')
  const { amount } = await shownCheckout(sandbox, id)
  const own = random.below(3) > 0
  const session = own
    ? (await confirmedSession(sandbox, world.token(), { amount })).id
    : await world.one('session')
  const input = { id, payment_method_session: session }
  return asked('checkout_sessions.pay', input, { key: world.keyed(), page: true })
}

export const expire_page: Draw = async (world) =>
  asked('checkout_sessions.expire', { id: await world.one('checkout') }, { key: world.keyed() })

export const pay_invoice_page: Draw = async (world) => {
  const { sandbox, random } = world
  const id = await world.one('invoice')
  const { invoices } = await readRows(sandbox.store, sandbox.scope)
  const invoice = invoices.find((one) => one.id === id)
  const off = invoice?.early_payment_discount?.taken_by === null ? invoice.early_payment_discount.amount : 0
  const due = invoice === undefined ? 0 : invoice.total - invoice.amount_paid - invoice.amount_pending
  const amount = Math.max(1, due - random.pick([off, off, 0]))
  const session = await confirmedSession(sandbox, world.token(), { amount })
  const input = { id, payment_method_session: session.id, amount }
  return asked('invoices.pay', input, { key: world.keyed(), page: true })
}

export const cancel_invoice: Draw = async (world) => {
  const id = await world.one('invoice')
  return acted(`invoices.cancel ${id}`, async ({ engine, scope }) =>
    engine.admin.invoices.cancel(scope, { id }),
  )
}

export const write_off: Draw = async (world) => {
  const id = await world.one('invoice')
  const amount = world.random.pick([100, 300, 600])
  return acted(
    `invoices.writeOff ${id} ${amount}`,
    async ({ engine, scope }) => engine.admin.invoices.writeOff(scope, { id, amount }),
    { forgives: { invoice: id, amount } },
  )
}

export const send_again: Draw = async (world) => {
  const id = await world.one('invoice')
  const way = world.random.pick(['send', 'revokeLinks'] as const)
  return acted(`invoices.${way} ${id}`, async ({ engine, scope }) =>
    engine.admin.invoices[way](scope, { id }),
  )
}

export const of_invoices: readonly Draw[] = [
  pay_invoice_page,
  pay_invoice_page,
  cancel_invoice,
  write_off,
  send_again,
  ...of_invoice_money,
]

export const of_pages: readonly Draw[] = [pay_page, pay_page, expire_page, ...of_invoices]
