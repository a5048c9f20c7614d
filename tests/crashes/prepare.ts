import { writeFileSync } from 'node:fs'
import { fileLedger, simulatedProcessor } from '@quittance/processor-simulator'
import { registeredEndpoint } from '../../packages/testing/src/builders/deliveries.ts'
import { openSandbox } from '../../packages/testing/src/builders/sandbox.ts'
import { engineSettings, type Prepared, preparedIn } from './engine-process.ts'
import type { Flow } from './flow.ts'
import { booksIn, type Home, ledgerIn, openStore } from './home.ts'

/** Fills a home up to where the flow begins. Someone listens to every event in it. */
export async function prepare({ prepare, delivers }: Flow, home: Home, receiver: string): Promise<void> {
  const store = await openStore(home)
  const processor = simulatedProcessor({ ledger: fileLedger(ledgerIn(home)) })
  const sandbox = await openSandbox({ ...engineSettings, store, processor, seed: 1 })
  if (!delivers) await registeredEndpoint(sandbox)
  const known = await prepare(sandbox, { receiver, books: booksIn(home) })
  const prepared: Prepared = { scope: sandbox.scope, now_ms: sandbox.clock.now() + 1000, known }
  writeFileSync(preparedIn(home), JSON.stringify(prepared))
  await store.close()
}
