export type { SandboxControl } from '@quittance/core'
export type { FaultableCall, Faults } from './faults.ts'
export { fileLedger } from './file-ledger.ts'
export { type Entry, type Ledger, memoryLedger } from './ledger.ts'
export type { LedgerCharge, LedgerRefund, Totals } from './records.ts'
export type { Settlement } from './settlement.ts'
export {
  type LedgerView,
  type SimulatedProcessor,
  type SimulatedProcessorOptions,
  simulatedProcessor,
} from './simulated-processor.ts'
export { tokenFor } from './test-tokens.ts'
export { simulatedTokenizer } from './tokenizer.ts'
