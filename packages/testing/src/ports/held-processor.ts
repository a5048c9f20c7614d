import type { Processor } from '@quittance/core'
import { withOwn } from './around.ts'

export interface HeldProcessor {
  processor: Processor
  /** Resolves when the first charge is held. */
  held: Promise<void>
  /** Lets the held charges, and all later ones, go on. */
  release(): void
}

/** A processor that holds every charge: before it is made, or once it is made and before it is answered. */
export function heldProcessor(processor: Processor, when: 'before' | 'after'): HeldProcessor {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const hold = () => {
    held.resolve()
    return released.promise
  }
  return {
    processor: withOwn(processor, {
      async charge(request) {
        if (when === 'before') await hold()
        const answer = await processor.charge(request)
        if (when === 'after') await hold()
        return answer
      },
    }),
    held: held.promise,
    release: () => released.resolve(),
  }
}
