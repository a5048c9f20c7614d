import { describeStore } from '../../testing/src/describe-store.ts'
import { memoryStore } from '../src/memory-store/memory-store.ts'

describeStore(
  'the memory store',
  async () => {
    const store = memoryStore()
    return { store, close: () => store.close() }
  },
  { processes: false },
)
