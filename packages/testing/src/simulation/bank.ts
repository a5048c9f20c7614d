import type { Processor, SandboxControl } from '@quittance/core'
import type { ProcessorLedger } from '../processor/ledger.ts'

/** The processor of one environment, which survives every process of ours. */
export interface Bank {
  livemode: boolean
  processor: Processor
  ledger: ProcessorLedger
  /** What can be made to happen there by hand, if anything. */
  control: SandboxControl | null
}
