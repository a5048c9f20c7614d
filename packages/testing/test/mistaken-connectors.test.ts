import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Connector, LedgerConnection } from '@quittance/core'
import { expect, it } from 'vitest'
import { fileConnector } from '../../connectors/src/file-connector.ts'
import { describeRefusals } from '../src/connector/describe-refusals.ts'
import { type Check, ledger } from '../src/connector/reading.ts'

it('the contract suite sees a connector that takes any token for a ledger it knows', async () => {
  expect(await failing(({ token }) => token === 'its token')).toEqual([])
  expect(await failing(() => true)).toEqual([
    'refuses a ledger that it knows under a token that is not its own',
  ])
})

/** The sentences that do not hold of a connector of files that takes these connections. */
async function failing(takes: (connection: LedgerConnection) => boolean): Promise<string[]> {
  const found: string[] = []
  const tried: Promise<void>[] = []
  const check: Check = (sentence, run, content = ledger) => {
    const attempt = async () => {
      const folder = await mkdtemp(join(tmpdir(), 'quittance-ledger-'))
      await writeFile(join(folder, 'customers.json'), JSON.stringify(content.customers))
      await writeFile(join(folder, 'invoices.json'), JSON.stringify(content.invoices))
      const known = { base_url: '', site_id: basename(folder), token: 'its token' }
      await run({
        connector: behind(takes, fileConnector({ directory: dirname(folder) })),
        connection: known,
        unknown: { ...known, site_id: 'nobody', token: 'another token' },
        close: async () => {},
      }).catch(() => found.push(sentence))
      await rm(folder, { recursive: true })
    }
    tried.push(attempt())
  }
  describeRefusals(check)
  await Promise.all(tried)
  return found
}

function behind(
  takes: (connection: LedgerConnection) => boolean,
  { customers, invoices }: Connector,
): Connector {
  const refused = { kind: 'refused', reason: 'http 401' } as const
  return {
    customers: async (request) => (takes(request.connection) ? customers(request) : refused),
    invoices: async (request) => (takes(request.connection) ? invoices(request) : refused),
  }
}
