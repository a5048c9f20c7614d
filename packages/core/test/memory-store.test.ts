import { describeStore } from '../../testing/src/describe-store.ts'
import { withOwn } from '../../testing/src/ports/around.ts'
import { memoryStore } from '../src/memory-store/memory-store.ts'
import type { Store } from '../src/ports/store.ts'

describeStore(
  'the memory store',
  async () => {
    const store = memoryStore()
    return { store, close: () => store.close() }
  },
  { processes: false },
)

describeStore(
  'a store that runs every unit of work again, as the port allows,',
  async () => {
    const store = runningTwice(memoryStore())
    return { store, close: () => store.close() }
  },
  { processes: false },
)

/** Nothing is left of a first run, as after a deadlock, and others may come between the two. */
function runningTwice(store: Store): Store {
  return withOwn(store, {
    async transaction(scope, work) {
      const undone = new Error('rolled back')
      const first = store.transaction(scope, async (tx) => {
        // Whatever came of it: of a unit that is run again the last run counts.
        await (async () => work(tx))().catch(() => {})
        throw undone
      })
      await first.then(
        () => {},
        (fault: unknown) => {
          if (fault !== undone) throw fault
        },
      )
      return await store.transaction(scope, work)
    },
  })
}
