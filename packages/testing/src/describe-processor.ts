import type { Processor } from '@quittance/core'
import {
  describeChargebacks,
  describeLateReturns,
  describeNotifications,
  describeReturns,
  describeVoid,
} from './processor/describe-batches.ts'
import { describeCharge, describeVerify } from './processor/describe-charge.ts'
import { describeLookup } from './processor/describe-lookup.ts'
import { describeRefund } from './processor/describe-refund.ts'
import { checkedLedger, type ProcessorLedger } from './processor/ledger.ts'
import type { Check } from './processor/requests.ts'
import { type ProcessorTokens, sandbox_tokens } from './processor/tokens.ts'
import { describe, it, suite_timeout } from './suite.ts'

export interface OpenProcessor {
  processor: Processor
  /**
   * Everything that the processor ever accepted or refused, as `simulate` takes it. With it the suite checks what each
   * repeated key moved. Without it the suite cannot see a key that charges twice and repeats its first answer; `simulate`
   * can.
   */
  ledger?: ProcessorLedger
  close(): PromiseLike<void>
}

/** The contract of the `Processor` port, sentence by sentence. Keys are fresh in every run. */
export function describeProcessor(
  name: string,
  open: () => PromiseLike<OpenProcessor>,
  tokens: ProcessorTokens = sandbox_tokens,
): void {
  describe(`${name} keeps the contract of a processor`, suite_timeout, () => {
    const check: Check = (sentence, run) =>
      it(sentence, async () => {
        const opened = await open()
        try {
          await run(opened.processor, opened.ledger && checkedLedger(opened.ledger))
        } finally {
          await opened.close()
        }
      })
    describe('verify', () => describeVerify(check, tokens))
    describe('charge', () => describeCharge(check, tokens))
    describe('refund', () => describeRefund(check, tokens))
    describe('lookup', () => describeLookup(check, tokens))
    const { settles, returns, returns_late, charged_back } = tokens
    if (settles !== null) describe('void', () => describeVoid(check, settles))
    if (settles !== null) describe('notifications', () => describeNotifications(check, settles))
    if (returns !== null) describe('returns', () => describeReturns(check, returns))
    if (returns_late !== null) describe('late returns', () => describeLateReturns(check, returns_late))
    if (charged_back !== null) describe('chargebacks', () => describeChargebacks(check, charged_back))
  })
}
