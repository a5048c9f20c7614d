import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fileConnector } from '../../../connectors/src/file-connector.ts'
import { openLedger } from '../../../connectors/test/ledger-server.ts'
import { confirmedSession } from '../../../testing/src/builders/requests.ts'
import { commit } from '../../../testing/src/store/opened.ts'
import { customerOf, invoiceOf, many, openSynced } from './ledger-sync.ts'

const content = { customers: [customerOf(1), customerOf(2)], invoices: many(3, (index) => invoiceOf(index)) }

/** What an option that was not sent is echoed as. */
const nothing = { startDate: null, endDate: null, invoiceIds: null, customerIds: null, slackUsername: null }

describe('a historical sync', () => {
  it('brings invoices with the customers they were billed to, and answers what it did', async () => {
    const synced = await openSynced(content)
    const body = { startDate: '2026-01-01', endDate: '2026-01-31' }
    expect((await synced.ask(body))._unsafeUnwrap()).toEqual({
      message: 'Historical sync completed: 3 created, 0 updated, 0 unchanged, 0 skipped.',
      connectionId: synced.connection,
      mode: 'LOCAL',
      syncOptions: { jobType: 'sync_invoice', allInvoices: true, useWorker: false, ...nothing, ...body },
    })
    const [customer, ...others] = await synced.customers()
    expect(others).toEqual([])
    expect(customer).toMatchObject({
      reference: 'C-0001',
      name: 'Customer 1',
      email: 'customer-1@example.com',
    })
    const invoices = await synced.invoices()
    expect(invoices).toHaveLength(3)
    expect(invoices[0]).toMatchObject({
      external_id: 'I-0001',
      number: '2026-1',
      customer: customer?.id,
      status: 'open',
      total: 10_000,
      amount_due: 10_000,
      invoice_date: '2026-01-05',
      due_date: '2026-03-01',
      livemode: false,
    })
    expect(invoices[0]?.payment_url).toMatch(/^https:\/\/pay\.example\.com\/pay\//)
  })

  it('follows the pages of a ledger to their end', async () => {
    const invoices = many(250, (index) => invoiceOf(index))
    const synced = await openSynced({ ...content, invoices })
    await synced.ask()
    expect(await synced.run()).toMatchObject({ status: 'completed', pages: 3, created: 250, due_at: null })
    expect(cursorsAsked(synced.ledger.asked)).toEqual([null, '100', '200'])
  })

  it('changes nothing when it is run twice', async () => {
    const synced = await openSynced(content)
    await synced.ask()
    const before = await synced.invoices()
    synced.clock.advance(3_600_000)
    expect((await synced.ask())._unsafeUnwrap().message).toContain(
      '0 created, 0 updated, 3 unchanged, 0 skipped',
    )
    expect(await synced.invoices()).toEqual(before)
    const rows = await synced.store.read(synced.scope, (all) => all.invoices.page({ where: {}, limit: 10 }))
    expect(rows.map((row) => row.changed_at)).toEqual(rows.map((row) => row.created_at))
  })

  it('updates what changed in the ledger, by ERP id', async () => {
    const synced = await openSynced(content)
    await synced.ask()
    const [first] = await synced.invoices()
    const changed = invoiceOf(1, { number: 'A-1', total: 12_000, due_date: '2026-04-01' })
    synced.ledger.content = {
      ...content,
      invoices: [changed, invoiceOf(2, { status: 'canceled' }), invoiceOf(3)],
    }
    expect((await synced.ask())._unsafeUnwrap().message).toContain('0 created, 2 updated, 1 unchanged')
    const [after, canceled] = await synced.invoices()
    const { number, total, due_date } = changed
    expect(after).toEqual({ ...first, number, total, due_date, amount_due: 12_000 })
    expect(canceled).toMatchObject({ status: 'canceled', amount_due: 0, payment_url: null })
  })

  it('leaves the amounts of an invoice that was paid here alone', async () => {
    const synced = await openSynced(content)
    await synced.ask()
    const [invoice] = await synced.invoices()
    const payment_method_session = (await confirmedSession(synced, 'tok_test_visa')).id
    const body = {
      amount: 4_000,
      currency: 'USD' as const,
      payment_method_session,
      invoice: `${invoice?.id}`,
    }
    const paid = await synced.engine.payments.create(synced.caller, body, { idempotency_key: 'k' })
    expect(paid._unsafeUnwrap().status).toBe('succeeded')
    synced.ledger.content = { ...content, invoices: [invoiceOf(1, { total: 9_000 })] }
    await synced.ask()
    const [after] = await synced.invoices()
    expect(after).toMatchObject({ total: 9_000, amount_paid: 4_000, amount_due: 5_000, status: 'open' })
    const broken = async () => (await synced.engine.verify()).violations.map(({ invariant }) => invariant)
    expect(await broken()).toEqual([])
    await commit(synced.store, synced.scope, async ({ invoices }) => {
      const row = await invoices.lock(`${after?.id}`)
      if (row) await invoices.update({ ...row, amount_paid: 3_999 })
    })
    expect(await broken()).toEqual(['M21'])
  })

  it('leaves an invoice to the ledger that brought it, also over a new connection to that one', async () => {
    const synced = await openSynced(content)
    await synced.ask()
    const other = await openLedger({ ...content, invoices: [invoiceOf(1, { total: 777 })] })
    onTestFinished(other.close)
    const connect = (base_url: string) =>
      synced.engine.backOffice.connect(synced.scope, { ...synced.place, kind: 'ledger', base_url })
    const stranger = await synced.ask({ connectionId: await connect(other.base_url) })
    expect(stranger._unsafeUnwrap().message).toContain('0 updated, 0 unchanged, 1 skipped')
    expect(synced.logged.join()).toContain('external_id: another ledger brought this invoice')
    expect((await synced.invoices())[0]).toMatchObject({ total: 10_000 })
    synced.ledger.content = { ...content, invoices: [invoiceOf(1, { total: 9_000 })] }
    const again = await synced.ask({ connectionId: await connect(synced.ledger.base_url) })
    expect(again._unsafeUnwrap().message).toContain('1 updated, 0 unchanged, 0 skipped')
    expect((await synced.invoices())[0]).toMatchObject({ total: 9_000 })
    const spelled = await synced.ask({ connectionId: await connect(`${synced.ledger.base_url}/`) })
    expect(spelled._unsafeUnwrap().message).toContain('1 unchanged, 0 skipped')
  })

  it('skips and counts an invoice whose customer the ledger does not know, and what is no record', async () => {
    const stray = invoiceOf(4, { customer: 'nobody' })
    const negative = invoiceOf(5, { total: -1 })
    const unpayable = invoiceOf(6, { total: 100_000_000 })
    const invoices = [...content.invoices, stray, negative, unpayable]
    const synced = await openSynced({ ...content, invoices })
    expect((await synced.ask())._unsafeUnwrap().message).toContain(
      '3 created, 0 updated, 0 unchanged, 3 skipped',
    )
    expect(await synced.invoices()).toHaveLength(3)
    expect(synced.logged.join()).toMatch(/unusable records .*I-0005.*total: /)
  })

  it('tells of every record that it skips, and why, so that somebody can mend it', async () => {
    const nameless = { ...customerOf(3), phone: null as never }
    const invoices = [
      invoiceOf(1, { customer: 'nobody' }),
      invoiceOf(2, { customer: 'C-0003' }),
      invoiceOf(3),
      invoiceOf(4, { external_id: 4 as never }),
      ...many(12, (index) => invoiceOf(index + 4, { total: -1 })),
    ]
    const synced = await openSynced({ customers: [...content.customers, nameless], invoices })
    await synced.ask()
    synced.ledger.content = { ...content, invoices: [...invoices, invoiceOf(3, { currency: 'CAD' })] }
    expect((await synced.ask())._unsafeUnwrap().message).toContain('1 unchanged, 16 skipped')
    const [first = '', second = ''] = synced.logged.filter((line) => line.includes('unusable records'))
    expect(first).toContain('"count":15')
    expect(first).toContain('{"id":"I-0001","reason":"customer: unknown here and in the ledger"}')
    expect(first).toMatch(/"id":"I-0002","reason":"its customer: phone: /)
    expect(first).toMatch(/"id":"4","reason":"external_id: /)
    for (const { external_id } of invoices.slice(4))
      expect(first).toMatch(new RegExp(`"${external_id}","reason":"total: `))
    expect(second).toContain('{"id":"I-0003","reason":"currency: not the one it had"}')
  })

  it('brings customers, and updates them by reference', async () => {
    const synced = await openSynced(content)
    const body = { jobType: 'sync_customer', allInvoices: false }
    expect((await synced.ask(body))._unsafeUnwrap().message).toContain('2 created')
    synced.ledger.content = { ...content, customers: [customerOf(1, { name: 'Renamed' }), customerOf(2)] }
    expect((await synced.ask(body))._unsafeUnwrap().message).toContain('0 created, 1 updated, 1 unchanged')
    expect((await synced.customers()).map(({ name }) => name)).toEqual(['Customer 2', 'Renamed'])
    expect(await synced.invoices()).toEqual([])
  })

  it('reads what was asked for: named customers, named invoices, a range of days, open ones only', async () => {
    const invoices = [
      invoiceOf(1),
      invoiceOf(2, { status: 'paid', amount_paid: 10_000 }),
      invoiceOf(3, { invoice_date: '2026-02-01' }),
    ]
    const synced = await openSynced({ ...content, invoices })
    await synced.ask({ jobType: 'sync_customer', customerIds: ['C-0002'] })
    expect((await synced.customers()).map(({ reference }) => reference)).toEqual(['C-0002'])
    await synced.ask({ invoiceIds: ['I-0003', 'I-0009'] })
    expect((await synced.invoices()).map((one) => one.external_id)).toEqual(['I-0003'])
    await synced.ask({ startDate: '2026-01-01', endDate: '2026-01-31', allInvoices: false })
    expect((await synced.invoices()).map((one) => one.external_id)).toEqual(['I-0001', 'I-0003'])
    await synced.ask({ startDate: '2026-01-01', endDate: '2026-01-31' })
    expect((await synced.invoices())[1]).toMatchObject({
      status: 'paid',
      amount_paid: 10_000,
      payment_url: null,
    })
  })

  it('stays in the environment of its connection', async () => {
    const synced = await openSynced(content)
    const live = { ...synced.scope, livemode: true }
    const connectionId = await synced.engine.backOffice.connect(live, { kind: 'ledger', ...synced.place })
    expect(connectionId).toMatch(/^conn_live_/)
    await synced.ask({ connectionId })
    expect(await synced.invoices()).toEqual([])
    const caller = await synced.engine.caller(live)
    const [invoice] = (await synced.engine.invoices.list(caller, {}))._unsafeUnwrap().data
    expect(invoice?.livemode).toBe(true)
  })

  it('reads CSV and JSON files as well', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'quittance-files-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    mkdirSync(join(directory, 'acme'))
    const header = 'external_id,number,customer,status,currency,total,amount_paid,invoice_date,due_date'
    const rows = many(120, (index) => `F-${index},,C-0001,open,CAD,${index},0,2026-01-05,2026-03-01`)
    writeFileSync(join(directory, 'acme', 'invoices.csv'), [header, ...rows].join('\r\n'))
    writeFileSync(join(directory, 'acme', 'customers.json'), JSON.stringify(content.customers))
    const synced = await openSynced(content, {
      connectors: { file: fileConnector({ directory }) },
    })
    const place = { kind: 'file', base_url: '', site_id: 'acme', token: '' }
    const connectionId = await synced.engine.backOffice.connect(synced.scope, place)
    expect((await synced.ask({ connectionId }))._unsafeUnwrap().message).toContain('120 created')
    const found = await synced.engine.invoices.list(synced.caller, { external_id: 'F-77' })
    expect(found._unsafeUnwrap().data).toMatchObject([{ total: 77, currency: 'CAD', number: null }])
    expect((await synced.ask({ connectionId }))._unsafeUnwrap().message).toContain('120 unchanged')
  })

  it('keeps the token encrypted, and tells it to nobody', async () => {
    const synced = await openSynced(content)
    const answer = await synced.ask()
    const rows = await synced.store.read(synced.scope, (all) =>
      all.connections.page({ where: {}, limit: 10 }),
    )
    expect(rows).toHaveLength(1)
    const told = JSON.stringify([answer._unsafeUnwrap(), synced.logged, rows, await synced.run()])
    expect(told).not.toContain(synced.place.token)
  })
})

/** The cursors of the requests for invoices. */
function cursorsAsked(asked: readonly string[]): (string | null)[] {
  const urls = asked.map((target) => new URL(target, 'http://ledger'))
  return urls
    .filter(({ pathname }) => pathname.endsWith('/invoices'))
    .map((url) => url.searchParams.get('cursor'))
}
