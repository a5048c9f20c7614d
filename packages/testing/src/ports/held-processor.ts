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
  const { call: charge, held, release } = heldCall(processor.charge.bind(processor), when)
  return { processor: withOwn(processor, { charge }), held, release }
}

/** The same for any call: `held` resolves when the first one is held. */
export function heldCall<Request, Answer>(
  ask: (request: Request) => PromiseLike<Answer>,
  when: 'before' | 'after',
) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const hold = () => {
    held.resolve()
    return released.promise
  }
  return {
    async call(request: Request): Promise<Answer> {
      if (when === 'before') await hold()
      const answer = await ask(request)
      if (when === 'after') await hold()
      return answer
    },
    held: held.promise,
    release: () => released.resolve(),
  }
}
