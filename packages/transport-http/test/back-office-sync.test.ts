import { describe, expect, it, onTestFinished } from 'vitest'
import { ledgerConnector } from '../../connectors/src/ledger-connector.ts'
import { openLedger, site_id, status, token } from '../../connectors/test/ledger-server.ts'
import { openOffice, outcome } from './back-office-server.ts'

const path = '/back-office/sync/historical'

const customer = {
  reference: 'C-1',
  name: 'Ada',
  email: 'ada@example.com',
  phone: '',
  created_date: '2026-01-01',
}
const invoice = {
  external_id: 'I-1',
  number: '1',
  customer: 'C-1',
  status: 'open',
  currency: 'USD',
  total: 500,
  amount_paid: 0,
  invoice_date: '2026-01-05',
  due_date: '2099-01-01',
}

async function openSync(options: Parameters<typeof openOffice>[0] = {}) {
  const ledger = await openLedger({ customers: [customer], invoices: [invoice] })
  onTestFinished(ledger.close)
  const office = await openOffice({ connectors: { ledger: ledgerConnector() }, ...options })
  const place = { kind: 'ledger', base_url: ledger.base_url, site_id, token }
  const connectionId = await office.engine.backOffice.connect(office.sandbox, place)
  const sync = (body: object) =>
    office.call('POST', path, { body: { connectionId, jobType: 'sync_invoice', ...body } })
  return { ...office, ledger, connectionId, sync }
}

/** What an option that was not sent is echoed as. */
const nothing = { startDate: null, endDate: null, invoiceIds: null, customerIds: null, slackUsername: null }

describe('POST /back-office/sync/historical', () => {
  it('syncs here and now, and echoes its options', async () => {
    const { sync, send, connectionId } = await openSync()
    const options = {
      allInvoices: true,
      useWorker: false,
      startDate: '2026-01-01',
      endDate: '2026-01-05',
      jobType: 'sync_invoice',
      slackUsername: 'ada',
    }
    const reply = await sync(options)
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        data: {
          message: 'Historical sync completed: 1 created, 0 updated, 0 unchanged, 0 skipped.',
          connectionId,
          mode: 'LOCAL',
          syncOptions: { ...nothing, ...options },
        },
        code: 'health_status_ok',
        message: 'OK.',
      },
    ])
    const listed = await send('GET', '/invoices?external_id=I-1')
    expect(listed.body.data).toMatchObject([{ external_id: 'I-1', total: 500, status: 'open' }])
    expect((await send('GET', '/customers?reference=C-1')).body.data).toMatchObject([{ name: 'Ada' }])
  })

  it('leaves the work to the reconciler with useWorker', async () => {
    const { sync, send, engine } = await openSync()
    const reply = await sync({ useWorker: true, invoiceIds: ['I-1'] })
    expect(reply.body.data).toMatchObject({
      mode: 'WORKER',
      syncOptions: { useWorker: true, allInvoices: false, invoiceIds: ['I-1'] },
    })
    expect((await send('GET', '/invoices')).body.data).toEqual([])
    await engine.reconcile()
    expect((await send('GET', '/invoices')).body.data).toHaveLength(1)
  })

  it('answers not_found for a connection that is none, is unknown, or is not there', async () => {
    const { sync, connectionId } = await openSync()
    const other = connectionId.replace('conn_test_', 'conn_live_')
    const elsewhere = connectionId.replace(/[0-9a-f]{12}_/, '000000000000_')
    for (const id of [
      'x',
      other,
      elsewhere,
      `${connectionId}0`,
      connectionId.slice(0, -1),
      'x'.repeat(10_000),
    ]) {
      expect(outcome(await sync({ connectionId: id }))).toEqual([404, 'not_found'])
    }
  })
})

describe('what a historical sync is asked to do', () => {
  const invalid: [string, object][] = [
    ['connectionId', { connectionId: '' }],
    ['connectionId', { connectionId: undefined }],
    ['connectionId', { connectionId: 7 }],
    ['jobType', { jobType: undefined }],
    ['jobType', { jobType: 'sync_payment' }],
    ['startDate', { startDate: '2026-1-1', endDate: '2026-01-02' }],
    ['startDate', { startDate: '2026-02-30', endDate: '2026-03-02' }],
    ['endDate', { startDate: '2026-01-01', endDate: '2026-01-02T00:00:00Z' }],
    ['endDate', { startDate: '2026-01-01', endDate: null }],
    ['allInvoices', { allInvoices: 'true' }],
    ['useWorker', { useWorker: 1 }],
    ['invoiceIds', { invoiceIds: 'I-1' }],
    ['invoiceIds', { invoiceIds: [] }],
    ['invoiceIds[1]', { invoiceIds: ['I-1', 7] }],
    ['invoiceIds[0]', { invoiceIds: [''] }],
    ['customerIds', { customerIds: [], jobType: 'sync_customer' }],
    ['slackUsername', { slackUsername: '@ada' }],
    ['slackUsername', { slackUsername: '' }],
    ['dryRun', { dryRun: true }],
  ]
  it.each(invalid)('answers validation_error on %s: %j', async (field, body) => {
    const { sync, ledger } = await openSync()
    const reply = await sync(body)
    expect(outcome(reply)).toEqual([422, 'validation_error'])
    expect(reply.body.data).toEqual([{ path: field, message: expect.stringMatching(/./) }])
    expect(ledger.asked).toEqual([])
  })

  const range = { startDate: '2026-01-01', endDate: '2026-01-31' }
  const contradictions: object[] = [
    { ...range, invoiceIds: ['I-1'] },
    { startDate: '2026-01-01', invoiceIds: ['I-1'] },
    { endDate: '2026-01-01', invoiceIds: ['I-1'] },
    { startDate: '2026-01-01' },
    { endDate: '2026-01-31' },
    { startDate: '2026-02-01', endDate: '2026-01-31' },
    { customerIds: ['C-1'] },
    { invoiceIds: ['I-1'], jobType: 'sync_customer' },
  ]
  it.each(contradictions)('answers bad_request where it contradicts itself: %j', async (body) => {
    const { sync, ledger } = await openSync()
    const reply = await sync(body)
    expect(outcome(reply)).toEqual([400, 'bad_request'])
    expect(reply.body.data).toBeNull()
    expect(ledger.asked).toEqual([])
    expect(outcome(await sync({ ...body, connectionId: 'nobody' }))).toEqual([400, 'bad_request'])
  })

  const accepted: object[] = [
    {},
    range,
    { startDate: '2026-01-31', endDate: '2026-01-31' },
    { startDate: '2024-02-29', endDate: '2024-02-29' },
    { invoiceIds: ['I-1'] },
    { jobType: 'sync_customer' },
    { jobType: 'sync_customer', ...range },
    { jobType: 'sync_customer', customerIds: ['C-1'], ...range },
  ]
  it.each(accepted)('is accepted: %j', async (body) => {
    const { sync } = await openSync()
    const reply = await sync(body)
    expect(outcome(reply)).toEqual([200, 'health_status_ok'])
    const defaults = { jobType: 'sync_invoice', allInvoices: false, useWorker: false }
    expect(reply.body.data).toMatchObject({ mode: 'LOCAL', syncOptions: { ...defaults, ...body } })
  })
})

describe('a ledger that cannot be synced', () => {
  it('answers bad_request where no connector is configured for it', async () => {
    const { sync } = await openSync({ connectors: {} })
    const reply = await sync({})
    expect(outcome(reply)).toEqual([400, 'bad_request'])
    expect(reply.body.message).toBe('No connector is configured for connections of the kind ledger.')
  })

  it('answers bad_request where the ledger refuses, with its reason and without its token', async () => {
    const { sync, ledger, logged } = await openSync()
    ledger.answerNext(status(403))
    const reply = await sync({})
    expect(outcome(reply)).toEqual([400, 'bad_request'])
    expect(reply.body.message).toBe('The sync stopped: http 403.')
    expect(reply.text + logged.join()).not.toContain(token)
  })

  it('answers that the sync goes on in the background while the ledger is away', async () => {
    const { sync, ledger } = await openSync()
    ledger.answerNext(status(503))
    const reply = await sync({})
    expect(outcome(reply)).toEqual([200, 'health_status_ok'])
    expect(reply.body.data).toMatchObject({ message: expect.stringContaining('goes on in the background') })
  })
})
