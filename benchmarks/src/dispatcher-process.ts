import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { type Dispatcher, startDispatcher } from '@quittance/webhooks'
import { endWhenTold } from './child.ts'
import { openShop } from './shop.ts'

/** Resident memory: before it began to send, and the highest seen since. */
export interface Resident {
  idle_bytes: number
  peak_bytes: number
}

/** A dispatcher on a SQLite file or a Postgres URL, alone in its process. It sends once it is told to. */
const [where = '', schema = ''] = process.argv.slice(2)
const store = where.startsWith('postgres:')
  ? postgresStore({ connectionString: where, schema })
  : sqliteStore({ filename: where })
const { engine } = await openShop(store)
const resident: Resident = { idle_bytes: process.memoryUsage.rss(), peak_bytes: 0 }
// The system's own peak would do, but it starts at the size of the process that forked this one.
const watch = () => {
  resident.peak_bytes = Math.max(resident.peak_bytes, process.memoryUsage.rss())
}
setInterval(watch, 10)
let dispatcher: Dispatcher | undefined
process.on('message', async (order: 'start' | 'stop') => {
  if (order === 'start') dispatcher = startDispatcher(engine)
  // Its leases are released, for the next dispatcher.
  else await dispatcher?.stop()
  watch()
  process.send?.(resident)
})
endWhenTold()
process.send?.('ready')
