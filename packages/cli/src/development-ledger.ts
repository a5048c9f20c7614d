import type { Connector, LedgerAnswer, LedgerCustomer, LedgerInvoice } from '@quittance/core'

export const development_connection = { kind: 'development', base_url: '', site_id: 'acme', token: '' }

/** The ledger of the development connection: a few records that do not change, in one page each. */
export const developmentConnector: Connector = {
  async customers({ dates, ids }) {
    return onePage(ledger_customers.filter((one) => fits(one.reference, one.created_date, { dates, ids })))
  },
  async invoices({ dates, ids, status }) {
    const wanted = ledger_invoices.filter((one) => status === 'any' || one.status === status)
    return onePage(wanted.filter((one) => fits(one.external_id, one.invoice_date, { dates, ids })))
  },
}

type Filters = Pick<Parameters<Connector['customers']>[0], 'dates' | 'ids'>

function fits(id: string, date: string, { dates, ids }: Filters): boolean {
  if (ids !== null && !ids.includes(id)) return false
  return dates === null || (dates.from <= date && date <= dates.to)
}

function onePage<Kept>(records: Kept[]): LedgerAnswer<Kept> {
  return { kind: 'page', records, rejected: [], cursor: null }
}

const ledger_customers: LedgerCustomer[] = ['Larch Printing', 'Cove Marine', 'Summit Dental'].map(
  (name, index) => ({
    reference: `CUST-200${index + 1}`,
    name,
    email: `accounts@${name.toLowerCase().replace(' ', '-')}.example`,
    phone: '+1 555 0200',
    created_date: `2025-10-0${index + 1}`,
  }),
)

const ledger_invoices: LedgerInvoice[] = (['open', 'open', 'paid', 'canceled', 'open'] as const).map(
  (status, index) => ({
    external_id: `ERP-INV-200${index + 1}`,
    number: `INV-200${index + 1}`,
    customer: `CUST-200${(index % 3) + 1}`,
    status,
    currency: 'USD',
    total: 20_000 + index * 1_250,
    amount_paid: status === 'paid' ? 20_000 + index * 1_250 : 0,
    invoice_date: `2025-11-0${index + 1}`,
    due_date: `2025-12-0${index + 1}`,
  }),
)
