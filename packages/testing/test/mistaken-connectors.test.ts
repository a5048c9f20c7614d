import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type {
  Connector,
  CustomerPageRequest,
  InvoicePageRequest,
  LedgerAnswer,
  LedgerCustomer,
  LedgerInvoice,
} from '@quittance/core'
import { it } from 'vitest'
import { fileConnector } from '../../connectors/src/file-connector.ts'
import type { LedgerContent, OpenedLedger } from '../src/connector/reading.ts'
import { describeConnector } from '../src/describe-connector.ts'
import { expectHeld, expectSeen, sentenceOf } from './sentences.ts'

type PageRequest = CustomerPageRequest | InvoicePageRequest
type Answer = LedgerAnswer<LedgerCustomer | LedgerInvoice>

/** What a connector does otherwise than it should, with a request and with its answer. */
interface Mistake {
  asks?(request: PageRequest): object
  answers?(answer: Answer, request: PageRequest): object
}

const token = 'its token'

/** Each with the sentence of the contract that it breaks. */
const mistakes: readonly (readonly [what: string, breaks: string, mistake: Mistake])[] = [
  [
    'takes any token for a ledger that it knows',
    'refuses a known ledger with a wrong token, and does not show it',
    { asks: ({ connection }) => ({ connection: { ...connection, token } }) },
  ],
  [
    'shows the token that it refuses',
    'refuses an unknown connection, and does not show its token',
    {
      answers: (answer, { connection }) =>
        answer.kind === 'refused' ? { reason: `not ${connection.token}` } : {},
    },
  ],
  [
    'takes a ledger that it does not know for an empty one',
    'refuses an unknown connection, and does not show its token',
    {
      answers: ({ kind }) =>
        kind === 'refused' ? { kind: 'page', records: [], rejected: [], cursor: null } : {},
    },
  ],
  [
    'begins anew with every page',
    'gives every record once, in pages of at most 7',
    { asks: () => ({ cursor: null }) },
  ],
  [
    'ends after the first page',
    'gives every record once, in pages of at most 7',
    { answers: () => ({ cursor: null }) },
  ],
  [
    'gives larger pages than asked for',
    'gives every record once, in pages of at most 1',
    { asks: () => ({ limit: 9 }) },
  ],
  [
    'gives all of a range but its last day',
    'gives only records dated within a range, both days included',
    { asks: ({ dates }) => ({ dates: dates && { ...dates, to: dayBefore(dates.to) } }) },
  ],
  [
    'leaves the range out',
    'gives only records dated within a range, both days included',
    { asks: () => ({ dates: null }) },
  ],
  [
    'leaves the named records out',
    'gives the records with the requested ids, and nothing for an unknown id',
    { asks: () => ({ ids: null }) },
  ],
  [
    'looks for the first hundred of the named records',
    'accepts a thousand ids',
    { asks: ({ ids }) => ({ ids: ids?.slice(0, 100) ?? null }) },
  ],
  [
    'heeds either the ids or the range',
    'gives only records that fit all filters together',
    { asks: ({ ids, dates }) => ({ dates: ids === null ? dates : null }) },
  ],
  [
    'gives what is paid, too',
    'gives only open invoices if only those are requested',
    { asks: (request) => ('status' in request ? { status: 'any' } : {}) },
  ],
  [
    'reads amounts up to a comma',
    'gives every record once, in pages of at most 100',
    { answers: amounting(({ total }) => ({ total: total % 100_000 })) },
  ],
  [
    'takes what is paid in part for not paid',
    'gives every record once, in pages of at most 100',
    { answers: amounting(({ total, amount_paid }) => (amount_paid < total ? { amount_paid: 0 } : {})) },
  ],
  [
    'looks for the first hundred of the named customers',
    'accepts a thousand ids',
    { asks: (request) => ('status' in request ? {} : { ids: request.ids?.slice(0, 100) ?? null }) },
  ],
  [
    'puts ids into a URL as they are',
    'gives the records with the requested ids, and nothing for an unknown id',
    {
      asks({ ids }) {
        const query = ids?.map((id) => `ids=${id}`).join('&')
        return { ids: query === undefined ? null : new URLSearchParams(query).getAll('ids') }
      },
    },
  ],
  [
    'says nothing of what it leaves out',
    'rejects an unusable record with its id and the wrong field, not its value, and gives the others',
    { answers: ({ kind }) => (kind === 'page' ? { rejected: [] } : {}) },
  ],
  [
    'stops at what it cannot read',
    'goes on after a page with a rejected record',
    {
      answers: (answer) => (answer.kind === 'page' && answer.rejected.length > 0 ? { cursor: null } : {}),
    },
  ],
]

it.each(mistakes)('the contract suite sees a connector that %s', async (_, breaks, mistake) => {
  await expectSeen(sentenceOf(ledgers(mistake), breaks))
  await expectHeld(sentenceOf(ledgers({}), breaks))
})

function amounting(change: (invoice: LedgerInvoice) => Partial<LedgerInvoice>) {
  return (answer: Answer) => {
    if (answer.kind !== 'page') return {}
    return { records: answer.records.map((one) => ('total' in one ? { ...one, ...change(one) } : one)) }
  }
}

function ledgers(mistake: Mistake): () => void {
  return () => describeConnector('mistaken', (content) => open(content, mistake))
}

async function open({ customers, invoices }: LedgerContent, mistake: Mistake): Promise<OpenedLedger> {
  const folder = await mkdtemp(join(tmpdir(), 'quittance-ledger-'))
  await writeFile(join(folder, 'customers.json'), JSON.stringify(customers))
  await writeFile(join(folder, 'invoices.json'), JSON.stringify(invoices))
  return {
    connector: mistaken(behindToken(fileConnector({ directory: dirname(folder) })), mistake),
    connection: { base_url: '', site_id: basename(folder), token },
    unknown: { base_url: '', site_id: 'nobody', token: 'another token' },
    close: () => rm(folder, { recursive: true }),
  }
}

/** Files have no token. */
function behindToken({ customers, invoices }: Connector): Connector {
  const refused = { kind: 'refused', reason: 'http 401' } as const
  return {
    customers: async (request) => (request.connection.token === token ? customers(request) : refused),
    invoices: async (request) => (request.connection.token === token ? invoices(request) : refused),
  }
}

function mistaken(sound: Connector, { asks = () => ({}), answers = () => ({}) }: Mistake): Connector {
  const changed = <Request extends PageRequest, LedgerRecord extends LedgerCustomer | LedgerInvoice>(
    ask: (request: Request) => PromiseLike<LedgerAnswer<LedgerRecord>>,
  ) => {
    return async (request: Request) => {
      const answer = await ask({ ...request, ...asks(request) })
      return { ...answer, ...answers(answer, request) }
    }
  }
  return { customers: changed(sound.customers), invoices: changed(sound.invoices) }
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)
}
