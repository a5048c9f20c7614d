import { openHistoryStores, playPortion } from './histories.ts'
import { workThrough } from './portions.ts'

const opened = openHistoryStores()

workThrough(
  async (portion) => playPortion((await opened).stores, portion),
  async () => (await opened).close(),
)
