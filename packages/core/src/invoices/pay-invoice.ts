import { z } from 'zod'
import { fail, missing } from '../errors/domain-error.ts'
import { remote, type Unit } from '../kernel/operation.ts'
import { err, ok } from '../kernel/result.ts'
import { makePaymentMethod } from '../payment-methods/make-payment-method.ts'
import { charge_errors, charging, refusedCharge, reserveCharge } from '../payments/charge.ts'
import { paymentStatus } from '../payments/payment.ts'
import { byId, idParameter } from '../schema/ids.ts'
import { amount } from '../schema/money.ts'
import { amountDue, discountToday, grantDiscount } from './invoice-machine.ts'

/**
 * The hosted page takes all that is due on an invoice, less an early-payment discount, with a confirmed payment
 * method session. This is not an API payment: its `pay_` id is never shown and no event is filed, but the
 * invoice's amounts move.
 */
export const payInvoice = remote({
  access: { key: 'page' },
  idempotency_key: 'optional',
  input: byId.extend({ payment_method_session: idParameter, amount }),
  output: z.object({ status: paymentStatus, amount }),
  errors: [...charge_errors, 'conflict'],

  async reserve(unit, { id, payment_method_session, amount }) {
    const invoice = await unit.tx.invoices.lock(id)
    if (!invoice?.listed) return fail('resource_missing')
    const collected = await unit.tx.payment_method_sessions.lock(payment_method_session)
    if (!collected) return missing('payment_method_session')
    // The payer agreed to this amount: if another amount is due by now, the page is shown again.
    const discount = discountToday(invoice, unit.now)
    if (amount !== amountDue(invoice) - discount) return fail('conflict')
    const method = await makePaymentMethod(unit, collected)
    if (method.isErr()) return err(method.error)
    const { currency, customer } = invoice
    const terms = { amount, currency, customer, invoice: id, source: 'invoice_page' } as const
    const charge = await reserveCharge(unit, method.value, terms)
    if (charge.isOk() && discount > 0) await writeDiscountOff(unit, id, charge.value.id)
    return charge
  },

  ...charging,
  answer(kept) {
    const { status, amount } = kept
    return refusedCharge(kept) ?? (status === null ? fail('conflict') : ok({ status, amount }))
  },
})

/** Reads the invoice once more, because the charge that was reserved has changed it. */
async function writeDiscountOff({ tx }: Unit, id: string, payment: string): Promise<void> {
  const invoice = await tx.invoices.lock(id)
  if (invoice) await tx.invoices.update(grantDiscount(invoice, payment))
}
