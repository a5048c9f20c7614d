import type { Processor, Store } from '@quittance/core'
import { aroundPorts } from '../../packages/testing/src/ports/around.ts'

/** Comes to a moment at which a process may die: `before store.transaction`, `inside …`, `after processor.charge`. */
export type Arrive = (moment: string) => Promise<void>

/**
 * Ports that come to a moment before and after every call: before it has an effect, and with the effect made and the
 * answer not seen yet. A transaction has one more, with everything written and nothing committed. Calls take turns, so
 * that the moments are the same every time.
 */
export function withMoments(
  { store, processor }: { store: Store; processor: Processor },
  arrive: Arrive,
): { store: Store; processor: Processor } {
  const halfway: Store = {
    ...store,
    transaction: (scope, work) =>
      store.transaction(scope, async (tx) => {
        const result = await work(tx)
        await arrive('inside store.transaction')
        return result
      }),
  }
  let last: Promise<unknown> = Promise.resolve()
  return aroundPorts({ store: halfway, processor }, ({ port, method }, run) => {
    const turn = last.then(() => between(arrive, `${port}.${method}`, run))
    last = turn.catch(() => undefined)
    return turn
  })
}

/** The moments before and after one call. */
export async function between<Answer>(
  arrive: Arrive,
  call: string,
  run: () => PromiseLike<Answer>,
): Promise<Answer> {
  await arrive(`before ${call}`)
  const answer = await run()
  await arrive(`after ${call}`)
  return answer
}
