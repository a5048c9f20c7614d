import type { Processor, SandboxControl } from '@quittance/core'
import type { LedgerCharge, LedgerRefund } from '@quittance/processor-simulator'

/** What a processor under test shows of its side of the story, to be compared with ours. */
export interface ProcessorLedger {
  /** Everything that was ever accepted or refused, by the key it came under. */
  charges(): readonly LedgerCharge[]
  refunds(): readonly LedgerRefund[]
}

/** The processor of one environment, which survives every process of ours. */
export interface Bank {
  livemode: boolean
  processor: Processor
  ledger: ProcessorLedger
  /** What can be made to happen there by hand, if anything. */
  control: SandboxControl | null
}
