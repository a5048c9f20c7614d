import { checkCheckoutSessions } from './checkout-sessions.ts'
import { checkInvoices } from './invoices.ts'
import { isCaptured, keyOf, type Moment, type Report, saidOf } from './moment.ts'
import { checkRefunds, total } from './refunds.ts'

/** M13 to M31 and M49 over refunds, checkout sessions and invoices. */
export function checkSales(moment: Moment, report: Report): void {
  checkRefunds(moment, report)
  checkInvoices(moment, report)
  checkCheckoutSessions(moment, report)
  checkAnnounced(moment, report)
  if (moment.quiet) checkConservation(moment, report)
  if (moment.quiet) checkReasons(moment, report)
}

/** M27, M30, M31: refunds and checkout sessions announce each state they were in, once; invoice pages nothing. */
function checkAnnounced({ rows }: Moment, report: Report): void {
  const filed = Map.groupBy(rows.events, ({ subject }) => subject)
  const announced = (id: string) => (filed.get(id) ?? []).map(({ type }) => type.replace(/^.*\./, ''))
  for (const { id, status } of rows.refunds) {
    const types = announced(id)
    if (new Set(types).size !== types.length) report('M31', `${id} announced a status twice: ${types}`)
    const announces = status === null ? types.length === 0 : types.includes(status)
    if (!announces) report('M30', `${id} is ${status} and announced ${types}`)
    const states = types.filter((type) => type !== 'pending')
    if (states.length > 1) report('M31', `${id} announced two ends: ${types}`)
  }
  for (const { id, status } of rows.checkout_sessions) {
    const expected = { open: '', complete: 'completed', expired: 'expired' }[status]
    const types = announced(id).join()
    if (types !== expected) report('M27', `${id} is ${status} and announced ${types || 'nothing'}`)
  }
  for (const { id, source } of rows.payments) {
    if (source === 'invoice_page' && filed.has(id)) report('M31', `${id} was taken on a page and announced`)
  }
}

/** M49: captured less refunded less returned, by our ledger and by the processor's, in every currency. */
function checkConservation({ rows, charges, refunded }: Moment, report: Report): void {
  const keys = new Set(rows.payments.map(keyOf))
  const succeeded = rows.refunds.filter(({ status }) => status === 'succeeded')
  for (const currency of new Set(rows.payments.map((payment) => payment.currency))) {
    const taken = rows.payments.filter((one) => one.currency === currency && one.succeeded_at !== null)
    const ours = taken.map(({ id, amount, status }) => {
      const back = total(succeeded.filter(({ payment }) => payment === id))
      return { amount: status === 'returned' ? 0 : amount - back }
    })
    const captured = charges.filter(
      (charge) => keys.has(charge.key) && charge.currency === currency && isCaptured(charge),
    )
    const theirs = captured.map(({ key, amount, state }) => {
      const back = total(refunded.filter((one) => one.charge_key === key && one.state.kind === 'succeeded'))
      return { amount: state.kind === 'returned' ? 0 : amount - back }
    })
    if (total(ours) !== total(theirs))
      report('M49', `${currency}: ${total(ours)} is left by our ledger, ${total(theirs)} by the processor's`)
  }
}

/** M3, M7: what was stopped, refused or came back was so at the processor too, and says why in its words. */
function checkReasons({ rows, charges, refunded }: Moment, report: Report): void {
  const charged = new Map(charges.map(({ key, state }) => [key, state]))
  for (const payment of rows.payments) {
    const { id, status, failure } = payment
    const state = charged.get(keyOf(payment))
    const ends = (status === 'canceled') === (state?.kind === 'voided')
    if (!ends || (status === 'returned') !== (state?.kind === 'returned'))
      report('M3', `${id} is ${status}; ${saidOf('charge', state)}`)
    if (status === 'returned' && state?.kind === 'returned' && failure?.return_code !== state.return_code)
      report('M7', `${id} was returned for ${failure?.return_code}; the processor says ${state.return_code}`)
    if (status === 'failed' && state?.kind === 'declined' && failure?.decline_code !== state.decline_code)
      report('M7', `${id} failed for ${failure?.decline_code}; the processor says ${state.decline_code}`)
  }
  const given_back = new Map(refunded.map(({ key, state }) => [key, state]))
  for (const refund of rows.refunds) {
    const { id, status, failure } = refund
    const state = given_back.get(keyOf(refund))
    if (status === 'failed' && state?.kind === 'refused' && failure?.code !== state.failure_code)
      report('M7', `${id} failed for ${failure?.code}; the processor says ${state.failure_code}`)
  }
}
