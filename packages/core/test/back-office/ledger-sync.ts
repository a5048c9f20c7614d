import { onTestFinished } from 'vitest'
import { ledgerConnector } from '../../../connectors/src/ledger-connector.ts'
import { openLedger, site_id, token } from '../../../connectors/test/ledger-server.ts'
import { openSandbox, type SandboxOptions } from '../../../testing/src/builders/sandbox.ts'
import type { LedgerCustomer, LedgerInvoice } from '../../src/index.ts'

export type Synced = Awaited<ReturnType<typeof openSynced>>

/** An engine whose workspace has a connection to a ledger behind a real socket. */
export async function openSynced(
  content: { customers: readonly LedgerCustomer[]; invoices: readonly LedgerInvoice[] },
  options: SandboxOptions = {},
) {
  const ledger = await openLedger(content)
  onTestFinished(ledger.close)
  const logged: string[] = []
  const note = (message: string, fields: object = {}) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`)
  const sandbox = await openSandbox({
    connectors: { ledger: ledgerConnector() },
    logger: { info: note, warn: note, error: note },
    ...options,
  })
  const { engine, scope, caller } = sandbox
  const place = { base_url: ledger.base_url, site_id, token }
  const connection = await engine.backOffice.connect(scope, { kind: 'ledger', ...place })
  const ask = (body: object = {}) =>
    engine.backOffice.syncHistorical({
      connectionId: connection,
      jobType: 'sync_invoice',
      allInvoices: true,
      ...body,
    })
  return {
    ...sandbox,
    ledger,
    place,
    connection,
    logged,
    ask,
    /** The newest run, as it stands. */
    async run() {
      const [run] = await engine.backOffice.syncRuns(connection)
      if (!run) throw new Error('There is no run.')
      return run
    },
    async invoices() {
      const all = await engine.invoices.list(caller, { limit: 100 })
      return all._unsafeUnwrap().data.toSorted((a, b) => (`${a.external_id}` < `${b.external_id}` ? -1 : 1))
    },
    async customers() {
      return (await engine.customers.list(caller, { limit: 100 }))._unsafeUnwrap().data
    },
  }
}

const padded = (index: number) => String(index).padStart(4, '0')

export function customerOf(index: number, change: Partial<LedgerCustomer> = {}): LedgerCustomer {
  return {
    reference: `C-${padded(index)}`,
    name: `Customer ${index}`,
    email: `customer-${index}@example.com`,
    phone: '',
    created_date: '2026-01-02',
    ...change,
  }
}

export function invoiceOf(index: number, change: Partial<LedgerInvoice> = {}): LedgerInvoice {
  return {
    external_id: `I-${padded(index)}`,
    number: `2026-${index}`,
    customer: 'C-0001',
    status: 'open',
    currency: 'USD',
    total: 10_000,
    amount_paid: 0,
    invoice_date: '2026-01-05',
    due_date: '2026-03-01',
    ...change,
  }
}

export const many = <Of>(count: number, make: (index: number) => Of) =>
  Array.from({ length: count }, (_, index) => make(index + 1))
