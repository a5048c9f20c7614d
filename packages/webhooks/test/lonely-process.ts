import { systemClock } from '@quittance/core'
import { registeredEndpoint } from '../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../testing/src/builders/requests.ts'
import { openSandbox } from '../../testing/src/builders/sandbox.ts'
import { type OpenQueue, runOnce, type Sender, startDispatcher, storeQueue } from '../src/index.ts'

/** A process with nothing open but what the dispatcher needs. What it delivers is not recorded at the first try. */
const sandbox = await openSandbox({ clock: systemClock as never })
const { engine, scope, caller } = sandbox
await registeredEndpoint(sandbox)
accepted(await pay(sandbox, 'tok_test_visa'))
const sent = Promise.withResolvers<void>()
const sender: Sender = {
  async send() {
    sent.resolve()
    return { response_status: 200, error: null }
  },
  close: async () => {},
}
let tries = 0
const queue: OpenQueue = (of) => {
  const opened = storeQueue(of)
  return {
    ...opened,
    async record(attempts) {
      tries += 1
      if (tries === 1) throw new Error('busy')
      return opened.record(attempts)
    },
  }
}
if (process.argv[2] === 'runOnce') await runOnce(engine, { sender, queue, budgetMs: 5_000 })
else {
  const dispatcher = startDispatcher(engine, { sender, queue })
  await sent.promise
  if (process.argv[2] === 'advanceClock') await engine.testHelpers?.advanceClock(caller, { seconds: 1 })
  else await (process.argv[2] === 'drain' ? dispatcher.drain() : dispatcher.stop())
}
const [delivery] = accepted(await engine.admin.deliveries.list(scope)).data
process.stdout.write(`${delivery?.status}`)
