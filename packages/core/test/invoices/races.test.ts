import { expect } from 'vitest'
import { accepted, confirmedSession } from '../../../testing/src/builders/requests.ts'
import {
  payerOf,
  payInvoice,
  refund,
  sentInvoice,
  shownInvoice,
} from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { iso } from '../../src/schema/timestamps.ts'
import type { Race, RaceRound } from '../simulation/race.ts'
import { codeOf } from '../simulation/races-outcome.ts'
import { raceOnStore } from '../simulation/races-stores.ts'

/** A sent invoice of 1000 and payers that are ready: a confirmed session each. */
async function prepared({ sandbox, late }: RaceRound) {
  const { id } = await sentInvoice(sandbox)
  const ready = async () => (await confirmedSession(sandbox, 'tok_test_visa', { amount: 1000 })).id
  const sessions = [await ready(), await ready()]
  let keys = 0
  const byApi = async ({ engine, caller }: Sandbox) => {
    keys += 1
    const [payment_method_session] = sessions
    const input = { amount: 1000, currency: 'USD' as const, payment_method_session, invoice: id }
    const options = { idempotency_key: `payer-${keys}` }
    await late()
    return engine.payments.create(caller, input, options)
  }
  const onPage = async (process: Sandbox) => {
    await late()
    const input = { id, payment_method_session: sessions[1] ?? '', amount: 1000 }
    return process.engine.invoices.pay(payerOf(process), input)
  }
  return { id, byApi, onPage }
}

const captured = ({ processor }: Sandbox) => processor.ledger.totals().USD?.captured ?? 0

const races: Race[] = [
  {
    id: 'M25',
    sentence: 'a payer through the API and one on the page: the invoice is paid once',
    ends: ['ok conflict', 'parameter_invalid ok'],
    async round(race) {
      const { sandbox, first, second } = race
      const { id, byApi, onPage } = await prepared(race)
      const [api, page] = await Promise.all([byApi(first), onPage(second)])
      expect(await shownInvoice(sandbox, id)).toMatchObject({ status: 'paid', amount_paid: 1000 })
      expect(captured(sandbox)).toBe(1000)
      return `${codeOf(api)} ${codeOf(page)}`
    },
  },
  {
    id: 'M25',
    sentence: 'three payers of a part each: no more is taken than is due',
    ends: ['ok,ok,parameter_invalid'],
    async round({ sandbox, first, second, late }) {
      const { id } = await sentInvoice(sandbox)
      const payers = [first, second, first].map(async (process) => {
        await late()
        return codeOf(await payInvoice(process, 'tok_test_visa', { invoice: id, amount: 400 }))
      })
      const codes = (await Promise.all(payers)).sort()
      expect(await shownInvoice(sandbox, id)).toMatchObject({ amount_paid: 800, amount_due: 200 })
      return codes.join()
    },
  },
  {
    id: 'M23',
    sentence: 'a payer and a cancellation: paid or canceled, and no money is taken for a canceled one',
    ends: ['ok conflict', 'parameter_invalid ok'],
    async round(race) {
      const { sandbox, first, second, late } = race
      const { id, byApi } = await prepared(race)
      const [paid, canceled] = await Promise.all([
        byApi(first),
        late().then(() => second.engine.admin.invoices.cancel(sandbox.scope, { id })),
      ])
      expect((await shownInvoice(sandbox, id)).status).toBe(canceled.isOk() ? 'canceled' : 'paid')
      expect(captured(sandbox)).toBe(canceled.isOk() ? 0 : 1000)
      return `${codeOf(paid)} ${codeOf(canceled)}`
    },
  },
  {
    id: 'M23',
    sentence: 'a payer and a write-off of what is due: one of them settles it',
    ends: ['ok conflict', 'parameter_invalid ok'],
    async round(race) {
      const { sandbox, first, second, late } = race
      const { id, byApi } = await prepared(race)
      const [paid, written] = await Promise.all([
        byApi(first),
        late().then(() => second.engine.admin.invoices.writeOff(sandbox.scope, { id })),
      ])
      const settled = { status: 'paid', amount_paid: paid.isOk() ? 1000 : 0, amount_due: 0 }
      expect(await shownInvoice(sandbox, id)).toMatchObject(settled)
      return `${codeOf(paid)} ${codeOf(written)}`
    },
  },
  {
    id: 'R10',
    sentence: 'a refund and a chargeback of what paid an invoice: each cent is subtracted once',
    ends: ['ok', 'payment_not_refundable', 'refund_failed'],
    async round({ sandbox, first, second, late }) {
      const { id } = await sentInvoice(sandbox)
      const { id: payment } = accepted(
        await payInvoice(sandbox, 'tok_test_visa', { invoice: id, amount: 1000 }),
      )
      const charging_back = async () => {
        await late()
        const key = `${sandbox.scope.workspace}.${payment}`
        sandbox.processor.control.chargeback(key, iso(sandbox.clock.now()))
        await second.engine.reconcile()
      }
      const [asked] = await Promise.all([
        late().then(() => refund(first, { payment, amount: 300 })),
        charging_back(),
      ])
      await sandbox.engine.reconcile()
      const reopened = { status: 'open', amount_paid: 0, amount_pending: 0, amount_due: 1000 }
      expect(await shownInvoice(sandbox, id)).toMatchObject(reopened)
      return codeOf(asked)
    },
  },
  {
    id: 'M24',
    sentence: 'two sendings at once: two links, and both of them work',
    ends: ['ok,ok'],
    async round({ sandbox, first, second, late }) {
      const { id } = await sentInvoice(sandbox)
      const sent = await Promise.all(
        [first, second].map(async ({ engine }) => {
          await late()
          return engine.admin.invoices.send(sandbox.scope, { id })
        }),
      )
      const urls = sent.map((one) => accepted(one).payment_url)
      expect(new Set(urls).size).toBe(2)
      const row = await sandbox.store.read(sandbox.scope, (rows) => rows.invoices.get(id))
      expect(row?.links).toHaveLength(3)
      return sent.map(codeOf).join()
    },
  },
]

raceOnStore(races)
