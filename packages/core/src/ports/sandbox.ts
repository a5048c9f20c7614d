import type { Processor } from './processor.ts'

/**
 * What test helpers can make the sandbox's processor do at once. The processor then has a notification of the step at `at`.
 * Each returns false, and does nothing, if the charge or refund does not exist or its state does not allow the step.
 */
export interface SandboxControl {
  /** Settles an accepted debit; approves a card charge that was never answered. */
  settle(key: string, at: string): boolean
  /** Declines an accepted debit, or a card charge that was never answered. */
  fail(key: string, at: string): boolean
  /** A bank return of an accepted or settled debit. */
  returnCharge(key: string, return_code: string, at: string): boolean
  /** The cardholder's bank takes an approved card charge back. */
  chargeback(key: string, at: string): boolean
  succeedRefund(key: string, at: string): boolean
  failRefund(key: string, at: string): boolean
}

export interface SandboxProcessor extends Processor {
  readonly control: SandboxControl
}

export function isSandboxProcessor(processor: Processor | undefined): processor is SandboxProcessor {
  return processor !== undefined && 'control' in processor
}
