import type { Processor } from '@quittance/core'
import { describeParts } from '../src/describe-processor.ts'
import { type FaultRates, type ProcessorLedger, sandbox_tokens, simulate } from '../src/index.ts'
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
  describeParts(check, sandbox_tokens, (_name, run) => run())
  await Promise.all(tried)
  return found.sort()
}

/** What forty histories find in which a processor often hears a request twice, or with other faults. */
export async function told(
  processor: () => Required<Shown>,
  faults: Partial<FaultRates> = { processor_hears_twice: 0.3 },
): Promise<string[]> {
  const found: string[] = []
  for (let seed = 1; seed <= 40; seed += 1) {
    const { violations } = await simulate({ seed, processor, faults, trace: false })
    found.push(...violations.map(({ invariant, detail }) => `${invariant}: ${detail}`))
  }
  return found
}
