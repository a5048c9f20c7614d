import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeConnector } from '../../testing/src/describe-connector.ts'
import { fileConnector } from '../src/file-connector.ts'

const forms = { json: (rows: object[]) => JSON.stringify(rows), csv: csvOf }
const headers = {
  customers: ['reference', 'name', 'email', 'phone', 'created_date'],
  invoices: [
    'external_id',
    'number',
    'customer',
    'status',
    'currency',
    'total',
    'amount_paid',
    'invoice_date',
    'due_date',
  ],
}

for (const [ending, write] of Object.entries(forms)) {
  describeConnector(`the connector of ${ending} files`, async (content) => {
    const directory = mkdtempSync(join(tmpdir(), 'quittance-ledger-'))
    const folder = join(directory, 'acme')
    mkdirSync(folder)
    for (const of of ['customers', 'invoices'] as const) {
      writeFileSync(join(folder, `${of}.${ending}`), write(content[of], headers[of]))
    }
    return {
      connector: fileConnector({ directory }),
      connection: { base_url: '', site_id: 'acme', token: '' },
      unknown: { base_url: '', site_id: 'nobody', token: 'a token' },
      close: async () => rmSync(directory, { recursive: true }),
    }
  })
}

describe('files of a ledger', () => {
  const customer = {
    reference: 'C-1',
    name: 'Ada',
    email: 'Ada@Example.com',
    phone: '',
    created_date: '2026-01-01',
  }

  it('are known by e-mail as well, whatever its case', async () => {
    const { ask } = site({
      'customers.json': JSON.stringify([customer, { ...customer, reference: 'C-2', email: '' }]),
    })
    expect(await ask({ ids: ['ada@example.COM'] })).toMatchObject({ records: [{ reference: 'C-1' }] })
  })

  it('give what is there twice once, and reject the second', async () => {
    const { ask } = site({ 'customers.json': JSON.stringify([customer, { ...customer, name: 'Bea' }]) })
    expect(await ask()).toEqual({
      kind: 'page',
      records: [customer],
      rejected: [{ id: 'C-1', reason: 'reference: appears twice' }],
      cursor: null,
    })
  })

  it.each([
    ['and are longer', 'Ada Lovelace', '2026-01-01'],
    ['later, and are as long as before', 'Bea', '2026-01-02'],
  ])('are read again when they have changed %s', async (_, name, changed_at) => {
    const { ask, write } = site({ 'customers.json': JSON.stringify([customer]) })
    await ask()
    write('customers.json', JSON.stringify([{ ...customer, name }]), changed_at)
    expect(await ask()).toMatchObject({ records: [{ name }] })
  })

  it('shift no page when a record appears meanwhile', async () => {
    const rows = ['C-1', 'C-2', 'C-3'].map((reference) => ({ ...customer, reference }))
    const { ask, write } = site({ 'customers.json': JSON.stringify(rows) })
    const first = await ask({ limit: 2 })
    write('customers.json', JSON.stringify([{ ...customer, reference: 'C-0' }, ...rows]))
    const cursor = first.kind === 'page' ? first.cursor : null
    expect(await ask({ limit: 2, cursor })).toMatchObject({ records: [{ reference: 'C-3' }], cursor: null })
  })

  const unreadable: [string, Record<string, string | Uint8Array>, string][] = [
    ['no file', {}, 'there is no customers.json or customers.csv'],
    [
      'two files',
      { 'customers.json': '[]', 'customers.csv': 'reference' },
      'there are two files of customers',
    ],
    ['no JSON', { 'customers.json': '[' }, 'customers: not JSON'],
    ['no list', { 'customers.json': '{}' }, 'customers: no JSON list'],
    ['no UTF-8', { 'customers.json': Uint8Array.of(0xff) }, 'customers: not UTF-8'],
    ['bad CSV', { 'customers.csv': 'a,b\n1' }, 'customers: line 2: 1 fields where the header has 2'],
    [
      'CSV without a column',
      { 'customers.csv': 'reference,Name,email,created_date\nC-1,Ada,,2026-01-01' },
      'customers: line 1: the header has no name, phone',
    ],
    [
      'CSV with semicolons',
      { 'customers.csv': 'reference;name;email;phone;created_date\nC-1;Ada;;;2026-01-01' },
      'customers: line 1: the header has no reference, name, email, phone, created_date',
    ],
  ]
  it.each(unreadable)('are refused: %s', async (_what, files, reason) => {
    expect(await site(files).ask()).toEqual({ kind: 'refused', reason })
  })

  it.each(['..', '../other', '/etc', 'a/b', '', '.', 'a\\b'])(
    'stay in their directory: site %j',
    async (site_id) => {
      const { connector } = site({ 'customers.json': '[]' })
      const connection = { base_url: '', site_id, token: '' }
      const request = { connection, cursor: null, limit: 1, dates: null, ids: null }
      const reason = 'the site is no name of a folder'
      expect(await connector.customers(request)).toEqual({ kind: 'refused', reason })
      expect(await connector.invoices({ ...request, status: 'any' })).toEqual({ kind: 'refused', reason })
    },
  )
})

/** A directory with one site, gone with the test. */
function site(files: Record<string, string | Uint8Array>) {
  const directory = mkdtempSync(join(tmpdir(), 'quittance-ledger-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  mkdirSync(join(directory, 'acme'))
  const write = (name: string, content: string | Uint8Array, changed_at = '2026-01-01') => {
    const file = join(directory, 'acme', name)
    writeFileSync(file, content)
    utimesSync(file, new Date(changed_at), new Date(changed_at))
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  const connector = fileConnector({ directory })
  const connection = { base_url: '', site_id: 'acme', token: '' }
  const ask = (change: { limit?: number; cursor?: string | null; ids?: string[] } = {}) =>
    connector.customers({ connection, cursor: null, limit: 10, dates: null, ids: null, ...change })
  return { connector, ask, write }
}

function csvOf(rows: object[], header: string[]): string {
  const field = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`
  const lines = rows.map((row) =>
    header.map((name) => field((row as Record<string, unknown>)[name])).join(','),
  )
  return [header.join(','), ...lines].join('\r\n')
}
