import type { LedgerConnection } from '@quittance/core'
import { expect } from 'vitest'
import { type Check, customer, invoice, type OpenedLedger, pageOf, readAll } from './reading.ts'

export function describeRefusals(check: Check): void {
  check(
    'rejects an unusable record with its id and the wrong field, not its value, and gives the others',
    async ({ connector, connection }) => {
      const request = { connection, cursor: null, limit: 100, dates: null, ids: null }
      const customers = pageOf(await connector.customers(request))
      expect(customers.records.map((one) => one.reference)).toEqual(['C-00'])
      expect(customers.rejected).toMatchObject([
        { id: 'C-BAD', reason: expect.stringMatching(/^created_date: /) },
      ])
      const invoices = pageOf(await connector.invoices({ ...request, status: 'any' }))
      expect(invoices.records.map((one) => one.external_id)).toEqual(['I-00'])
      expect(invoices.rejected).toMatchObject([{ id: 'I-BAD', reason: expect.stringMatching(/^total: /) }])
      expect(JSON.stringify([customers.rejected, invoices.rejected])).not.toContain('secret value')
    },
    {
      customers: [customer(0), { ...customer(1), reference: 'C-BAD', created_date: 'secret value' }],
      invoices: [invoice(0), { ...invoice(1), external_id: 'I-BAD', total: 'secret value' }],
    },
  )
  check(
    'goes on after a page with a rejected record',
    async (opened) => {
      // In pages of one, a page may hold nothing else.
      for (const limit of [1, 2]) {
        const { customers, invoices } = await readAll(opened, { limit }, 'rejected')
        expect(customers.map((one) => one.reference).toSorted()).toEqual(['C-00', 'C-02', 'C-03'])
        expect(invoices.map((one) => one.external_id).toSorted()).toEqual(['I-00', 'I-02', 'I-03'])
      }
    },
    {
      customers: [customer(0), { ...customer(1), created_date: 'never' }, customer(2), customer(3)],
      invoices: [invoice(0), { ...invoice(1), total: 'much' }, invoice(2), invoice(3)],
    },
  )
  check('refuses an unknown connection, and does not show its token', (opened) =>
    expectRefused(opened, opened.unknown),
  )
  check('refuses a known ledger with a wrong token, and does not show it', async (opened) => {
    const { connection } = opened
    // Files need no token.
    if (connection.token === '') return
    await expectRefused(opened, { ...connection, token: `not-${connection.token}` })
  })
}

async function expectRefused(
  { connector, connection: known }: OpenedLedger,
  connection: LedgerConnection,
): Promise<void> {
  const request = { cursor: null, limit: 10, dates: null, ids: null }
  // The unknown connection must not get what another was answered for the same request.
  pageOf(await connector.customers({ ...request, connection: known }))
  pageOf(await connector.invoices({ ...request, connection: known, status: 'any' }))
  for (const answer of [
    await connector.customers({ ...request, connection }),
    await connector.invoices({ ...request, connection, status: 'any' }),
  ]) {
    expect(answer.kind).toBe('refused')
    expect(JSON.stringify(answer)).not.toContain(connection.token)
  }
}
