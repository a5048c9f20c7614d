import {
  type Connector,
  type LedgerAnswer,
  ledgerCustomer,
  ledgerInvoice,
  option,
  refuseWrongOptions,
} from '@quittance/core'
import { type Loaded, recordFiles } from './record-file.ts'

export interface FileConnectorOptions {
  /** Its folders are the sites: a connection's `site_id` names one. */
  directory: string
}

/**
 * Reads `customers` and `invoices`, each a `.json` file (a list of objects) or a `.csv` file (RFC 4180 with a header), from
 * the folder of the site. Fields and columns have the names of `LedgerCustomer` and `LedgerInvoice`; amounts are whole
 * numbers, and an empty `number` is null. Pages go by the records' ids, so that a file that changes meanwhile shifts no
 * page. Customers are known by reference and by e-mail.
 */
export function fileConnector(options: FileConnectorOptions): Connector {
  refuseWrongOptions('fileConnector', options, { directory: option.required(option.name) })
  const { directory } = options
  const load = recordFiles(directory)
  return {
    async customers(request) {
      const { site_id } = request.connection
      const loaded = await load({ site_id, name: 'customers', schema: ledgerCustomer, id_field: 'reference' })
      const asked = request.ids && new Set(request.ids.flatMap((id) => [id, `email ${id.toLowerCase()}`]))
      return pageOf(loaded, request, {
        id: ({ reference }) => reference,
        fits: ({ reference, email, created_date }) =>
          within(created_date, request.dates) &&
          (asked === null || asked.has(reference) || asked.has(`email ${email.toLowerCase()}`)),
      })
    },
    async invoices(request) {
      const { site_id } = request.connection
      const loaded = await load({ site_id, name: 'invoices', schema: ledgerInvoice, id_field: 'external_id' })
      const asked = request.ids && new Set(request.ids)
      return pageOf(loaded, request, {
        id: ({ external_id }) => external_id,
        fits: ({ external_id, status, invoice_date }) =>
          within(invoice_date, request.dates) &&
          (asked === null || asked.has(external_id)) &&
          (request.status === 'any' || status === 'open'),
      })
    },
  }
}

/** Rejected records are reported with the first page. */
function pageOf<LedgerRecord>(
  loaded: Loaded<LedgerRecord>,
  { cursor, limit }: { cursor: string | null; limit: number },
  by: { id(record: LedgerRecord): string; fits(record: LedgerRecord): boolean },
): LedgerAnswer<LedgerRecord> {
  if (loaded.kind === 'refused') return loaded
  const rest = loaded.records.filter(
    (record) => (cursor === null || by.id(record) > cursor) && by.fits(record),
  )
  const records = rest.slice(0, limit)
  const last = records.at(-1)
  const next = last !== undefined && rest.length > limit ? by.id(last) : null
  return { kind: 'page', records, rejected: cursor === null ? loaded.rejected : [], cursor: next }
}

function within(date: string, dates: { from: string; to: string } | null): boolean {
  return dates === null || (dates.from <= date && date <= dates.to)
}
