import { confirmedSession, send } from '../builders/requests.ts'
import { openCheckout, payerOf, shownCheckout } from '../builders/sales.ts'
import { type Command, chosen, codeOf, command, mustEqual, nowOf, type Running } from './command.ts'
import type { ModelPage } from './model.ts'
import { addPayment, expirePage, isPageOver } from './money.ts'
import { foreseenCharge } from './tokens.ts'

export function openPage(amount: number, expires_in: number): Command {
  return command(`openPage(${amount}, ${expires_in} s)`, async (model, running) => {
    const { id } = await openCheckout(running.sandbox, { amount, expires_in })
    const expires_ms = nowOf(running) + expires_in * 1000
    const empty = { payment: null, paying: null, announced: [] }
    model.pages.push({ id, amount, expires_ms, status: 'open', ...empty })
  })
}

/** Pays on a checkout page with the token. */
export function payPage(drawn: number, token: string): Command {
  return command(`payPage(${drawn}, ${token})`, async (model, running) => {
    const page = chosen(model.pages, drawn)
    if (!page) return
    const { sandbox } = running
    const { id, amount } = page
    const collected = await confirmedSession(sandbox, token, { amount })
    const now_ms = nowOf(running)
    const refused = expectedPay(page, now_ms)
    const input = { id, payment_method_session: collected.id }
    const paid = await sandbox.engine.checkout_sessions.pay(payerOf(sandbox), input)
    mustEqual('checkout_sessions.pay', codeOf(paid), refused ?? foreseenCharge(token, now_ms).code)
    if (refused === null) {
      const payment = paid.isErr() ? String(paid.error.extra?.payment) : paid.value.id
      addPayment(model, { id: payment, token, amount, page }, now_ms)
    }
    await expectShown(page, running)
  })
}

function expectedPay(page: ModelPage, now_ms: number): string | null {
  if (page.paying !== null) return 'checkout_session_payment_in_flight'
  return page.status === 'open' && !isPageOver(page, now_ms) ? null : 'conflict'
}

/** Expires a page, as the merchant does. */
export function expireCheckout(drawn: number): Command {
  return command(`expirePage(${drawn})`, async (model, running) => {
    const page = chosen(model.pages, drawn)
    if (!page) return
    const { code } = await send(running.sandbox, 'checkout_sessions.expire', { input: { id: page.id } })
    mustEqual('checkout_sessions.expire', code, expectedExpire(page))
    if (code === null && page.status === 'open') expirePage(page)
    await expectShown(page, running)
  })
}

function expectedExpire({ status, paying }: ModelPage): string | null {
  if (status === 'complete') return 'conflict'
  return paying === null ? null : 'checkout_session_payment_in_flight'
}

/** A page past its expiry is shown as expired, even before the reconciler has closed it. */
async function expectShown(page: ModelPage, running: Running): Promise<void> {
  const shown = await shownCheckout(running.sandbox, page.id)
  mustEqual('the checkout session', shown.status, isPageOver(page, nowOf(running)) ? 'expired' : page.status)
}
