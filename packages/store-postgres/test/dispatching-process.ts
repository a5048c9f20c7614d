import { createEngine } from '@quittance/core'
import { startDispatcher } from '@quittance/webhooks'
import { postgresStore } from '../src/postgres-store.ts'

/** Dispatches, and says so once it has looked for the first time; its sweeps are hours away. */
const [connectionString = '', schema = ''] = process.argv.slice(2)
const store = postgresStore({ connectionString, schema })
const engine = createEngine({
  store,
  secret: 'the secret of engines in two processes',
  processors: {},
  publicUrl: 'https://pay.example.com',
  allowInsecureDestinations: true,
})
// It listens when it is woken for what it may have missed.
const leave = store.onDeliveriesElsewhere(() => {
  leave()
  process.send?.('listening')
})
const dispatcher = startDispatcher(engine, { pollMs: 3_600_000 })
process.once('message', async () => {
  await dispatcher.stop()
  await engine.close()
  process.disconnect()
})
