import { expect } from 'vitest'
import { describeRefusals } from './connector/describe-refusals.ts'
import {
  byExternalId,
  byReference,
  type Check,
  customer,
  invoice,
  type LedgerContent,
  ledger,
  type OpenedLedger,
  pageOf,
  readAll,
} from './connector/reading.ts'
import { describe, it, suite_timeout } from './suite.ts'

/** The contract of the `Connector` port, sentence by sentence. `open` makes a ledger with the given content. */
export function describeConnector(
  name: string,
  open: (content: LedgerContent) => PromiseLike<OpenedLedger>,
): void {
  describe(`${name} keeps the contract of a connector`, suite_timeout, () => {
    const check: Check = (sentence, run, content = ledger) =>
      it(sentence, async () => {
        const opened = await open(content)
        try {
          await run(opened)
        } finally {
          await opened.close()
        }
      })
    describePages(check)
    describeFilters(check)
    describeRefusals(check)
  })
}

function describePages(check: Check): void {
  for (const limit of [1, 7, 100]) {
    check(`gives every record once, in pages of at most ${limit}`, async (opened) => {
      const given = await readAll(opened, { limit })
      expect(given.customers.toSorted(byReference)).toEqual(ledger.customers.toSorted(byReference))
      expect(given.invoices.toSorted(byExternalId)).toEqual(ledger.invoices.toSorted(byExternalId))
    })
  }
  check('gives the same page for the same request', async ({ connector, connection }) => {
    const request = { connection, cursor: null, limit: 5, dates: null, ids: null }
    const customers = (cursor: string | null) => connector.customers({ ...request, cursor })
    const invoices = (cursor: string | null) => connector.invoices({ ...request, cursor, status: 'any' })
    for (const ask of [customers, invoices]) {
      const first = pageOf<object>(await ask(null))
      expect(pageOf<object>(await ask(null))).toEqual(first)
      expect(await ask(first.cursor)).toEqual(pageOf<object>(await ask(first.cursor)))
    }
  })
  check(
    'gives no records of a ledger that has none',
    async (opened) => {
      expect(await readAll(opened, { limit: 10 })).toEqual({ customers: [], invoices: [] })
    },
    { customers: [], invoices: [] },
  )
}

function describeFilters(check: Check): void {
  check('gives only records dated within a range, both days included', async (opened) => {
    const dates = { from: '2026-01-05', to: '2026-01-08' }
    const { customers, invoices } = await readAll(opened, { limit: 2, dates })
    const within = (date: string) => dates.from <= date && date <= dates.to
    expect(customers.map((one) => one.reference).toSorted()).toEqual(
      ledger.customers.filter((one) => within(one.created_date)).map((one) => one.reference),
    )
    expect(invoices.map((one) => one.external_id).toSorted()).toEqual(
      ledger.invoices.filter((one) => within(one.invoice_date)).map((one) => one.external_id),
    )
  })
  check('gives the records with the requested ids, and nothing for an unknown id', async (opened) => {
    const [reference, external_id] = [customer(10).reference, invoice(10).external_id]
    const customers = await readAll(opened, { limit: 1, ids: ['C-02', 'nobody', reference] })
    expect(customers.customers.map((one) => one.reference).toSorted()).toEqual(['C-02', reference])
    const invoices = await readAll(opened, { limit: 1, ids: ['I-03', external_id, 'nothing'] })
    expect(invoices.invoices.map((one) => one.external_id).toSorted()).toEqual(['I-03', external_id])
    expect(await readAll(opened, { limit: 1, ids: ['nothing'] })).toEqual({ customers: [], invoices: [] })
  })
  check('accepts a thousand ids', async (opened) => {
    // The ids that the ledger has come last.
    const thousand = (known: readonly string[]) => {
      const unknown = Array.from({ length: 1000 - known.length }, (_, index) => `none-${index}`)
      return readAll(opened, { limit: 100, ids: [...unknown, ...known] })
    }
    const { customers } = await thousand(ledger.customers.map((one) => one.reference))
    expect(customers).toHaveLength(ledger.customers.length)
    const { invoices } = await thousand(ledger.invoices.map((one) => one.external_id))
    expect(invoices).toHaveLength(ledger.invoices.length)
  })
  check('gives only records that fit all filters together', async (opened) => {
    const ids = ['I-03', 'I-04', 'I-05', 'I-06', 'I-27']
    const dates = { from: '2026-01-05', to: '2026-01-28' }
    const { invoices } = await readAll(opened, { limit: 1, ids, dates, status: 'open' })
    expect(invoices.map((one) => one.external_id).toSorted()).toEqual(['I-06', 'I-27'])
    const { customers } = await readAll(opened, { limit: 1, ids: ['C-03', 'C-04'], dates })
    expect(customers.map((one) => one.reference)).toEqual(['C-04'])
  })
  check('gives only open invoices if only those are requested', async (opened) => {
    const { invoices } = await readAll(opened, { limit: 3, status: 'open' })
    expect(invoices.map((one) => one.external_id).toSorted()).toEqual(
      ledger.invoices.filter((one) => one.status === 'open').map((one) => one.external_id),
    )
  })
}
