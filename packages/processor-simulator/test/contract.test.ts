import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeProcessor } from '../../testing/src/describe-processor.ts'
import { fileLedger } from '../src/file-ledger.ts'
import { simulatedProcessor } from '../src/simulated-processor.ts'

describeProcessor('the simulated processor in memory', async () => ({
  processor: simulatedProcessor(),
  close: async () => {},
}))

describeProcessor('the simulated processor with a ledger file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-ledger-'))
  return {
    processor: simulatedProcessor({ ledger: fileLedger(join(folder, 'ledger.jsonl')) }),
    close: async () => rmSync(folder, { recursive: true }),
  }
})

describeProcessor('the simulated processor on a banking calendar', async () => ({
  processor: simulatedProcessor({ settlement: { calendar: 'banking', cut_off: '21:00' } }),
  close: async () => {},
}))
