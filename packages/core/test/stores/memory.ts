import { memoryStore } from '../../src/memory-store/memory-store.ts'
import type { TestedStore } from './tested-store.ts'

/** What tests run on where nothing else is set up. */
export const memory: TestedStore = {
  name: 'memory',
  share: 1,
  repeats: true,
  open: async () => memoryStore(),
  /** In memory everything happens in turns of one tick. */
  async late(random) {
    for (let turn = random.below(350); turn > 0; turn -= 1) await Promise.resolve()
  },
}
