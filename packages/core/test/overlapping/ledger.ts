import type { Random } from '../../../testing/src/random.ts'
import type {
  Connector,
  CustomerPageRequest,
  InvoicePageRequest,
  LedgerAnswer,
  LedgerCustomer,
  LedgerInvoice,
} from '../../src/ports/connector.ts'
import { testedStore } from '../stores/tested-store.ts'

const page_size = 2

/** A merchant's ledger of a few records, which is slow, away now and then, and says something else later. */
export class Ledger implements Connector {
  readonly #random: Random
  readonly #customers = new Map<string, LedgerCustomer>()
  readonly #invoices = new Map<string, LedgerInvoice>()
  /** Invoices that it called anything but open. */
  readonly settled = new Set<string>()

  constructor(random: Random) {
    this.#random = random
    for (const n of [1, 2, 3]) {
      const reference = `C-${n}`
      const contact = { name: `Customer ${n}`, email: '', phone: '' }
      this.#customers.set(reference, { reference, ...contact, created_date: '2026-01-02' })
      this.says({ external_id: `I-${n}`, customer: `C-${1 + (n % 2)}` })
    }
  }

  get known(): readonly LedgerInvoice[] {
    return [...this.#invoices.values()]
  }

  says({ external_id, ...change }: Partial<LedgerInvoice> & { external_id: string }): void {
    const dates = { invoice_date: '2026-01-05', due_date: '2026-03-01' }
    const made: LedgerInvoice = {
      external_id,
      number: external_id,
      customer: 'C-1',
      status: 'open',
      currency: 'USD',
      total: 1000,
      amount_paid: 0,
      ...dates,
    }
    const next = { ...made, ...this.#invoices.get(external_id), ...change }
    this.#invoices.set(external_id, next)
    if (next.status !== 'open') this.settled.add(external_id)
  }

  async customers({ cursor, ids }: CustomerPageRequest): Promise<LedgerAnswer<LedgerCustomer>> {
    const all = [...this.#customers.values()]
    return this.#page(
      all.filter(({ reference }) => ids === null || ids.includes(reference)),
      cursor,
    )
  }

  async invoices({ cursor, ids }: InvoicePageRequest): Promise<LedgerAnswer<LedgerInvoice>> {
    return this.#page(
      this.known.filter(({ external_id }) => ids === null || ids.includes(external_id)),
      cursor,
    )
  }

  async #page<Of>(all: readonly Of[], cursor: string | null): Promise<LedgerAnswer<Of>> {
    const { late } = testedStore()
    const from = Number(cursor ?? 0)
    await late(this.#random)
    const records = all.slice(from, from + page_size)
    await late(this.#random)
    if (this.#random.below(16) === 0) return { kind: 'unavailable', reason: 'not now', retry_after_s: null }
    const next = from + page_size
    return { kind: 'page', records, rejected: [], cursor: next < all.length ? `${next}` : null }
  }
}
