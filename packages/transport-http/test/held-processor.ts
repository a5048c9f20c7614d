import type { Processor } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'

/** A processor that answers a charge only when `release` is called; `asked` says that it was asked. */
export function heldProcessor() {
  const simulated = simulatedProcessor()
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const processor: Processor = {
    ...simulated,
    async charge(request) {
      asked.resolve()
      await held.promise
      return simulated.charge(request)
    },
  }
  return { processor, asked: asked.promise, release: () => held.resolve() }
}
