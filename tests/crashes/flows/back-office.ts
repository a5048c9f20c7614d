import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LedgerCustomer, LedgerInvoice } from '@quittance/core'
import { type Flow, replyOf } from '../flow.ts'

export const backOffice: readonly Flow[] = [
  {
    sentence: 'onboards an entity',
    answer: 'done',
    keyed: false,
    prepare: async () => ({}),
    run: async ({ engine }) => replyOf(await engine.backOffice.onboardEntity(entity)),
    // Asked again, it exists already; another key can be made in the place of the one that nobody saw.
    ends: [{ answer: 'done' }],
  },
  {
    sentence: "copies a merchant's invoices, page by page",
    answer: 'done',
    keyed: false,
    async prepare({ engine, scope }, { books }) {
      writeBooks(join(books, 'site'))
      const place = { base_url: '', site_id: 'site', token: 'token' }
      return { connection: await engine.backOffice.connect(scope, { kind: 'file', ...place }) }
    },
    run: async ({ engine }, { connection }) => {
      const asked = { connectionId: connection, jobType: 'sync_invoice', allInvoices: true }
      return replyOf(await engine.backOffice.syncHistorical(asked))
    },
    // A sync that is over is not the same one when it is asked for again, and finds nothing new.
    ends: [{ answer: 'done', world: { sync_runs: 'completed 110' } }],
  },
]

/** More than one page of invoices. */
function writeBooks(site: string): void {
  const customer: LedgerCustomer = {
    reference: 'C-1',
    name: 'Grace',
    email: 'grace@example.com',
    phone: '',
    created_date: '2026-01-02',
  }
  const invoice = (number: number): LedgerInvoice => ({
    external_id: `I-${number}`,
    number: `${number}`,
    customer: 'C-1',
    status: 'open',
    currency: 'USD',
    total: 10_000,
    amount_paid: 0,
    invoice_date: '2026-01-05',
    due_date: '2026-03-01',
  })
  mkdirSync(site, { recursive: true })
  writeFileSync(join(site, 'customers.json'), JSON.stringify([customer]))
  const invoices = Array.from({ length: 110 }, (_, index) => invoice(1000 + index))
  writeFileSync(join(site, 'invoices.json'), JSON.stringify(invoices))
}

const entity = {
  organization: {
    email: 'office@example.com',
    name: 'Acme',
    slug: 'acme',
    phoneNumber: '',
    website: 'https://acme.example.com',
  },
  ledger: [{ ledgerAPIBaseUrl: 'https://erp.example.com', ledgerSiteId: 'site', token: 'token' }],
  integrations: [{ serviceTypeId: 'mail', ledgerSiteId: 'site', configuration: { copies: 1 } }],
  user: { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple' },
}
