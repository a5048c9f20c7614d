import type { Processor, RefundRequest } from '@quittance/core'
import type { SimulatedProcessor } from '@quittance/processor-simulator'
import type { Random } from '@quittance/testing'

/** A slow processor that counts its calls and records concurrent refunds. */
export interface WatchedProcessor {
  processor: Processor
  /** Charges with two refunds in flight at a time. */
  readonly twice_at_once: string[]
  /** Calls that would move money. */
  readonly calls: { charges: number; refunds: number }
}

/** Every charge and refund waits up to `slowest_ms` before it is made, and as long again before it is answered. */
export function watchedProcessor(
  processor: SimulatedProcessor,
  { random, slowest_ms }: { random: Random; slowest_ms: number },
): WatchedProcessor {
  const twice_at_once: string[] = []
  const calls = { charges: 0, refunds: 0 }
  const refunding = new Set<string>()
  const pause = () => new Promise<void>((resolve) => setTimeout(resolve, random.below(slowest_ms + 1)))

  async function slowly<Answer>(run: () => PromiseLike<Answer>): Promise<Answer> {
    await pause()
    const answer = await run()
    await pause()
    return answer
  }

  async function refund(request: RefundRequest) {
    calls.refunds += 1
    const { charge_key } = request
    if (refunding.has(charge_key)) twice_at_once.push(charge_key)
    refunding.add(charge_key)
    try {
      return await slowly(() => processor.refund(request))
    } finally {
      refunding.delete(charge_key)
    }
  }

  return {
    processor: {
      ...processor,
      charge(request) {
        calls.charges += 1
        return slowly(() => processor.charge(request))
      },
      refund,
    },
    twice_at_once,
    calls,
  }
}
