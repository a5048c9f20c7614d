import type { Processor } from '@quittance/core'
import { type ProcessorLedger, sandbox_tokens } from '../src/index.ts'
import {
  describeChargebacks,
  describeNotifications,
  describeReturns,
  describeVoid,
} from '../src/processor/describe-batches.ts'
import { describeCharge, describeVerify } from '../src/processor/describe-charge.ts'
import { describeLookup } from '../src/processor/describe-lookup.ts'
import { describeRefund } from '../src/processor/describe-refund.ts'
import type { Check } from '../src/processor/requests.ts'

export interface Shown {
  processor: Processor
  ledger?: ProcessorLedger
}

/** The sentences that do not hold of a processor, each with the first words of what is wrong. */
export async function failing(open: () => Shown): Promise<string[]> {
  const found: string[] = []
  const tried: Promise<void>[] = []
  const check: Check = (sentence, run) => {
    const { processor, ledger } = open()
    const note = ({ message }: Error) => void found.push(`${sentence}: ${message.split(/ [0-9a-f]{8}-/)[0]}`)
    tried.push(run(processor, ledger).catch(note))
  }
  const settles = 'btok_test_success'
  describeVerify(check, sandbox_tokens)
  describeCharge(check, sandbox_tokens)
  describeRefund(check, sandbox_tokens)
  describeLookup(check, sandbox_tokens)
  describeVoid(check, settles)
  describeNotifications(check, settles)
  describeReturns(check, 'btok_test_account_closed')
  describeChargebacks(check, 'tok_test_chargeback')
  await Promise.all(tried)
  return found.sort()
}
