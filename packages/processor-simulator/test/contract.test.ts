import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeProcessor } from '../../testing/src/describe-processor.ts'
import { fileLedger } from '../src/file-ledger.ts'
import { type SimulatedProcessorOptions, simulatedProcessor } from '../src/simulated-processor.ts'

function opened(options?: SimulatedProcessorOptions, close = () => {}) {
  const processor = simulatedProcessor(options)
  return { processor, ledger: processor.ledger, close: async () => close() }
}

describeProcessor('the simulated processor in memory', async () => opened())

describeProcessor('the simulated processor with a ledger file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-ledger-'))
  const ledger = fileLedger(join(folder, 'ledger.jsonl'))
  return opened({ ledger }, () => rmSync(folder, { recursive: true }))
})

describeProcessor('the simulated processor on a banking calendar', async () =>
  opened({ settlement: { calendar: 'banking', cutOff: '21:00' } }),
)
