import type { Random } from '../../../testing/src/random.ts'
import { memoryStore } from '../../src/memory-store/memory-store.ts'

/** What tests run on where nothing else is set up. */
export const memory = {
  name: 'memory',
  share: 1,
  repeats: true,
  open: async () => memoryStore(),
  /** In memory everything happens in turns of one tick. */
  async late(random: Random) {
    for (let turn = random.below(350); turn > 0; turn -= 1) await Promise.resolve()
  },
}
