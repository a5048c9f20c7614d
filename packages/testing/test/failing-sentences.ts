import type { Processor } from '@quittance/core'
import { describeProcessor } from '../src/describe-processor.ts'
import { type FaultRates, type ProcessorLedger, simulate } from '../src/index.ts'
import { patience_ms, sentencesOf } from './sentences.ts'

export interface Shown {
  processor: Processor
  ledger?: ProcessorLedger
}

/** The sentences that do not hold of a processor, each with the first words of what is wrong. */
export async function failing(open: () => Shown): Promise<string[]> {
  const sentences = sentencesOf(() =>
    describeProcessor('shown', async () => ({ ...open(), close: async () => undefined })),
  )
  const tried = [...sentences].map(async ([name, sentence]) => [name, await sentence(patience_ms)] as const)
  const found = (await Promise.all(tried)).flatMap(([name, fault]) =>
    fault === null ? [] : `${name}: ${fault.replace(/^\w*Error: /, '').split(/ [0-9a-f]{8}-/)[0]}`,
  )
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
