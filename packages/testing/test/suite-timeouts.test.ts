import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { vi } from 'vitest'
import { fileConnector } from '../../connectors/src/file-connector.ts'
import { describeConnector, describeProcessor } from '../src/index.ts'

// As where a service behind a network takes longer than vitest gives a test.
vi.setConfig({ testTimeout: 10 })
const answers = () => setTimeout(20)

describeProcessor('a processor that is slow', async () => {
  await answers()
  return { processor: simulatedProcessor(), close: async () => {} }
})

describeConnector('a connector that is slow', async ({ customers, invoices }) => {
  await answers()
  const folder = await mkdtemp(join(tmpdir(), 'quittance-ledger-'))
  await writeFile(join(folder, 'customers.json'), JSON.stringify(customers))
  await writeFile(join(folder, 'invoices.json'), JSON.stringify(invoices))
  const connection = { base_url: '', site_id: basename(folder), token: '' }
  return {
    connector: fileConnector({ directory: dirname(folder) }),
    connection,
    unknown: { ...connection, site_id: 'nobody', token: 'a token' },
    close: () => rm(folder, { recursive: true }),
  }
})
