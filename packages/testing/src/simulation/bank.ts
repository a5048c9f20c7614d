import type { Processor, SandboxControl } from '@quittance/core'
import type { ProcessorLedger } from '../processor/ledger.ts'

/** The processor of one environment, which survives every process of ours. */
export interface Bank {
  livemode: boolean
  processor: Processor
  ledger: ProcessorLedger
  /** Makes things happen at the processor by hand, if it can. */
  control: SandboxControl | null
}
