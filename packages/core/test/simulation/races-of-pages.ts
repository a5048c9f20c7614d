import { expect } from 'vitest'
import { accepted, confirmedSession, shownPayment } from '../../../testing/src/builders/requests.ts'
import { eventTypesOf, openCheckout, payerOf, shownCheckout } from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { Race } from './race.ts'
import { codeOf } from './races-outcome.ts'

/** An open page, and what its payer will send: a confirmed session for each of these tokens. */
async function prepared(sandbox: Sandbox, tokens: readonly string[]) {
  const { id } = await openCheckout(sandbox, { expires_in: 1800 })
  const sessions: string[] = []
  for (const token of tokens) sessions.push((await confirmedSession(sandbox, token)).id)
  const pay = (process: Sandbox, n = 0) =>
    process.engine.checkout_sessions.pay(payerOf(process), {
      id,
      payment_method_session: sessions[n] ?? '',
    })
  const expire = (process: Sandbox) => process.engine.checkout_sessions.expire(process.caller, { id })
  return { id, pay, expire }
}

const kept = ({ processor }: Sandbox) =>
  processor.ledger.charges().filter(({ state }) => state.kind === 'approved' || state.kind === 'accepted')

export const races_of_pages: Race[] = [
  {
    id: 'R6',
    sentence: 'a page that is expired while it is paid: 409, or expired without a charge for ever',
    ends: ['ok checkout_session_payment_in_flight', 'ok conflict', 'conflict ok'],
    async round({ sandbox, first, second, late }) {
      const { id, pay, expire } = await prepared(sandbox, ['tok_test_visa'])
      const [paid, expired] = await Promise.all([
        late().then(() => pay(first)),
        late().then(() => expire(second)),
      ])
      const { status } = await shownCheckout(sandbox, id)
      expect([status, kept(sandbox).length]).toEqual(expired.isOk() ? ['expired', 0] : ['complete', 1])
      return `${codeOf(paid)} ${codeOf(expired)}`
    },
  },
  {
    id: 'R6',
    sentence: 'a declined payment and the merchant: the page is open, or expired and announced once',
    ends: ['card_declined ok', 'card_declined checkout_session_payment_in_flight', 'conflict ok'],
    async round({ sandbox, first, second, late }) {
      const { id, pay, expire } = await prepared(sandbox, ['tok_test_declined'])
      const [paid, expired] = await Promise.all([
        late().then(() => pay(first)),
        late().then(() => expire(second)),
      ])
      expect((await shownCheckout(sandbox, id)).status).toBe(expired.isOk() ? 'expired' : 'open')
      expect(await eventTypesOf(sandbox, id)).toHaveLength(expired.isOk() ? 1 : 0)
      return `${codeOf(paid)} ${codeOf(expired)}`
    },
  },
  {
    id: 'R7',
    sentence: "a page's last instant and its payer: complete or expired, never both",
    ends: ['ok complete', 'conflict expired'],
    async round({ sandbox, first, second, late }) {
      const { id, pay } = await prepared(sandbox, ['tok_test_visa'])
      sandbox.clock.advance(1_799_999)
      const timer = async () => {
        await late()
        sandbox.clock.jump(1)
        await second.engine.reconcile()
      }
      const [paid] = await Promise.all([late().then(() => pay(first)), timer()])
      await sandbox.engine.reconcile()
      const { status, payment } = await shownCheckout(sandbox, id)
      if (payment !== null) expect((await shownPayment(sandbox, payment)).status).toBe('succeeded')
      expect(kept(sandbox)).toHaveLength(paid.isOk() ? 1 : 0)
      expect(await eventTypesOf(sandbox, id)).toHaveLength(1)
      return `${codeOf(paid)} ${status}`
    },
  },
  {
    id: 'R7',
    sentence: 'a payment that fails as the time runs out, and two reconcilers: expired, once',
    ends: ['card_declined', 'conflict'],
    async round({ sandbox, first, second, late }) {
      const { id, pay } = await prepared(sandbox, ['tok_test_declined'])
      sandbox.clock.advance(1_799_999)
      const timer = async (process: Sandbox) => {
        await late()
        sandbox.clock.jump(1)
        await process.engine.reconcile()
      }
      const [paid] = await Promise.all([late().then(() => pay(first)), timer(first), timer(second)])
      await sandbox.engine.reconcile()
      expect((await shownCheckout(sandbox, id)).status).toBe('expired')
      expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.expired'])
      return codeOf(paid)
    },
  },
  {
    id: 'R8',
    sentence: 'two tabs that pay one page: one charge',
    ends: ['checkout_session_payment_in_flight,ok', 'conflict,ok'],
    async round({ sandbox, first, second, late, random }) {
      const token = random.pick(['tok_test_visa', 'btok_test_never_settles'])
      const { id, pay } = await prepared(sandbox, [token, token])
      const tabs = [first, second].map(async (tab, n) => {
        await late()
        return pay(tab, n)
      })
      const answers = await Promise.all(tabs)
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
      const won = answers.find((answer) => answer.isOk())
      expect(await shownCheckout(sandbox, id)).toMatchObject({
        status: 'complete',
        payment: won && accepted(won).id,
      })
      expect(await eventTypesOf(sandbox, id)).toEqual(['checkout_session.completed'])
      return answers.map(codeOf).sort().join()
    },
  },
  {
    id: 'R8',
    sentence: 'one payment method session on two pages: one of them is paid',
    ends: ['ok,payment_method_session_used', 'payment_method_session_used,ok'],
    async round({ sandbox, first, second, late }) {
      const [one, two] = [await openCheckout(sandbox), await openCheckout(sandbox)]
      const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
      const pay = async (process: Sandbox, id: string) => {
        await late()
        const { engine } = process
        return codeOf(await engine.checkout_sessions.pay(payerOf(process), { id, payment_method_session }))
      }
      const codes = await Promise.all([pay(first, one.id), pay(second, two.id)])
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
      const { checkout_sessions } = await readRows(sandbox.store, sandbox.scope)
      expect(checkout_sessions.map(({ status }) => status).sort()).toEqual(['complete', 'open'])
      return codes.join()
    },
  },
]
